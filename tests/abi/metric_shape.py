#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every metric has the shape that the head of metric_common.h describes: alcore_metric_compute_X(ctx, inputs, options, out) and,
where there is one, alcore_metric_read_X(ctx, files, options, out), with the same alcore_X_options and alcore_X_result. Every function
that computes something of overlap.h and analysis.h, and every stopping criterion, has its options before its outputs too. In TAP."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'bindings', 'gen'))
from headers import read_api  # noqa: E402
from tap import Tap  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def shape_faults(function, structs):
    """What differs from the shape, in words."""
    verb, name = re.fullmatch(r'alcore_metric_(compute|read)_(\w+)', function['name']).groups()
    types = [argument['type'] for argument in function['args']]
    options, result = 'alcore_%s_options' % name, 'alcore_%s_result' % name
    outputs = [argument['type'] for argument in function['args'] if argument['name'].startswith('out')]
    inputs = types[1:len(types) - len(outputs) - 1]
    checks = ((types[0] == 'alcore_ctx *', 'the context is not the first argument'),
              (types[-len(outputs) - 1] == 'const %s *' % options, '%s is not behind the inputs' % options),
              (outputs[-1] == result + ' *', '%s is not the last argument' % result),
              ({options, result} <= structs, 'the structs are missing'),
              (inputs[:1] == ['const alcore_text_files *'] if verb == 'read' else 'const alcore_text_files *' not in inputs,
               'files are the first input of a function that reads them, and of no other'))
    return [function['name'] + ': ' + fault for holds, fault in checks if not holds]


def main():
    tap = Tap()
    api = read_api(ROOT)
    structs = {struct['name'] for struct in api['structs']}
    metrics = [function for function in api['functions'] if re.match(r'alcore_metric_(compute|read)_', function['name'])]
    names = {function['name'] for function in metrics}
    faults = [fault for function in metrics for fault in shape_faults(function, structs)]
    tap.check(len(metrics) > 15 and not faults, '%d functions have the shape of a metric' % len(metrics), '\n'.join(faults))
    broken = dict(metrics[0], args=metrics[0]['args'][1:])
    tap.check(shape_faults(broken, structs), 'a function without a context has not')
    lonely = {name for name in names if '_read_' in name and name.replace('_read_', '_compute_') not in names}
    tap.check(not lonely, 'what is read can be computed', ' '.join(lonely))
    settings = [function['name'] for function in api['functions']
                if re.match(r'alcore_(overlap_compute|analysis_compute|stop_check)_', function['name'])
                and not any(argument['type'].endswith('_options *') for argument in function['args'])]
    tap.check(not settings, 'other measures have options too', ' '.join(settings))
    tap.finish()


main()
