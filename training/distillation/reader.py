#!/usr/bin/env python3
"""Distills the reader from SmolLM2: teacher and generator at the same time, then the student. Run it by run_reader.sh, which has the settings.

One process loads the texts and forks the rest; it never touches the GPU itself. Results are in OUT: reader.int8.safetensors,
reader.mean.int8.safetensors (the running mean), reference answers for each, figures of each model, and generated questions to read.
"""

import gc
import multiprocessing
import os
import sys
import traceback
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent))
from reader_data import OUT, TOY, WORK, end_with_parent, left, load, prepare_tests, say, setting
from reader_student import run_figures, run_student
from reader_teacher import run_generator, run_teacher


def stage(name, function, data):
    """A process of its own for a stage."""

    def guarded():
        end_with_parent()
        try:
            function(data)
        except BaseException:
            say(name, "FAILED")
            traceback.print_exc()
            sys.stdout.flush()
            [child.kill() for child in multiprocessing.active_children()]
            os._exit(1)
        sys.stdout.flush()
        sys.stderr.flush()
        # Producers' queues must not keep a finished stage alive.
        os._exit(0)

    process = multiprocessing.Process(target=guarded, name=name)
    process.start()
    return process


def wait(processes, until):
    for process in processes:
        process.join(max(0.1, left(until)))
        if process.is_alive():
            say(process.name, "is late and is stopped")
            process.terminate()
            process.join(5)
            if process.is_alive():
                process.kill()
        say(process.name, "ended with", process.exitcode)


def main():
    multiprocessing.set_start_method("fork")
    OUT.mkdir(parents=True, exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    say("torch", torch.__version__, "toy" if TOY else "")
    data = load()
    gc.collect()
    gc.freeze()
    say("ready to fork")
    tests = stage("tests", prepare_tests, data)
    teacher = stage("teacher", run_teacher, data)
    generator = stage("generator", run_generator, data)
    wait([teacher], setting("UNTIL_TEACHER") + 20)
    wait([generator], setting("UNTIL_GENERATED") + 20)
    wait([tests], setting("UNTIL_TEACHER") + 40)
    student = stage("student", run_student, data)
    figures = stage("figures", run_figures, data)
    wait([student], setting("UNTIL_ALL") + 15)
    wait([figures], setting("UNTIL_ALL") + 15)
    say("all done")


if __name__ == "__main__":
    main()
