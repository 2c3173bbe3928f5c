#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Plays, by the name under which it is called, the programs of a machine with a device that run.sh
# starts, for dry_run.sh: the probes succeed, and every other step does what $STUB says.
#   pass   ends well
#   die    dies of SIGSEGV
#   hang   goes on until it is killed; SIGTERM does not end it
case ${0##*/} in
nvidia-smi) echo "GPU 0: a stub"; exit 0 ;;
alcore) [ "$1" != doctor ] || echo "device cuda: usable"; exit 0 ;;
kernel_conformance) [ "$1" != --entries ] || { printf '%s\n' widen knn hidden_stats class_stats; exit 0; } ;;
python3)
    case $* in
    *"import alcore, platform"*) exit 0 ;;
    *cublasCreate*) echo /nowhere/libcublas.so.13 >"$3"; exit 0 ;;
    *"import numpy, torch"*) echo /nowhere/torch 2.11 >"$3"; exit 0 ;;
    esac
    ;;
ncu)
    if [ "$ALCORE_CONFORMANCE_ONLY" = self_dots ]; then
        while [ "$1" != --log-file ]; do shift; done
        echo '"kernel","12.5"' >"$2"
        exit 0
    fi
    ;;
compute-sanitizer) [ "$ALCORE_CONFORMANCE_ONLY" != self_dots ] || { echo "ERROR SUMMARY: 0 errors"; exit 0; } ;;
esac
echo "a line of ${0##*/}"
case $STUB in
die) kill -SEGV $$ ;;
hang)
    trap '' TERM
    while :; do sleep 1; done
    ;;
esac
