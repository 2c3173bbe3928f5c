/* SPDX-License-Identifier: Apache-2.0 */
/* A library without functions, which stands for those of CUDA that are not installed. */
