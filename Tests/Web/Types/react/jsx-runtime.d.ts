// SPDX-License-Identifier: Apache-2.0
export { JSX } from '.';
export function jsx(type: unknown, props: unknown): unknown;
export function jsxs(type: unknown, props: unknown): unknown;
