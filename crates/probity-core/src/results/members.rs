//! Objects whose members are named by data.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The members of an object by name, in the order in which they stand: that of a rubric, of the gate's checks, or of
/// the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members<T>(pub Vec<(String, T)>);

impl<T> Members<T> {
    /// The member called `name`.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find(|(known, _)| *known == name).map(|(_, member)| member)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All members with their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, member)| (name.as_str(), member))
    }

    /// The names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The member at `place`, from 0.
    pub fn at(&self, place: usize) -> Option<&T> {
        self.0.get(place).map(|(_, member)| member)
    }
}

impl<T> Default for Members<T> {
    fn default() -> Self {
        Members(Vec::new())
    }
}

impl<N: Into<String>, T> FromIterator<(N, T)> for Members<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(members: I) -> Self {
        Members(members.into_iter().map(|(name, member)| (name.into(), member)).collect())
    }
}

impl<T: Serialize> Serialize for Members<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Members<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Members<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Members_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        std::collections::BTreeMap::<String, T>::json_schema(generator)
    }
}
