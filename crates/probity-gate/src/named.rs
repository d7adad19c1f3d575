//! Enums whose values have names in files and reports: the declaration is the table.

/// Declares an enum of plain values, each with its name. `ALL` and `NAMES` list them in order, `name` and `from_name` go
/// both ways, and `NAMED` is the table that a choice in a file is read by.
///
/// ```
/// probity_gate::named! {
///     /// Which end of a scale is better.
///     #[derive(Debug, Clone, Copy, PartialEq)]
///     pub enum Direction {
///         /// The highest level.
///         Higher = "higher_is_better",
///         /// The lowest level.
///         Lower = "lower_is_better",
///     }
/// }
/// assert_eq!(Direction::from_name(Direction::Lower.name()), Some(Direction::Lower));
/// ```
#[macro_export]
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Enum:ident {
            $($(#[$of_value:meta])* $Value:ident = $name:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $Enum {
            $($(#[$of_value])* $Value,)+
        }

        #[allow(dead_code, reason = "not every table is used in every way")]
        impl $Enum {
            /// Every value, in the order of the declaration.
            $visibility const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Value),+];

            /// Their names, in the same order.
            $visibility const NAMES: [&'static str; [$($name),+].len()] = [$($name),+];

            /// Every value behind its name.
            $visibility const NAMED: [(&'static str, $Enum); [$($name),+].len()] = [$(($name, $Enum::$Value)),+];

            /// The name in files and reports.
            $visibility const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Value => $name,)+
                }
            }

            /// The value of exactly this name.
            $visibility fn from_name(name: &str) -> Option<$Enum> {
                $Enum::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
