// As much of React's types as a template needs, as @types/react 18 and 19 declare them.
// SPDX-License-Identifier: Apache-2.0
export interface HTMLAttributes<T> {
  className?: string;
  id?: string;
  onInput?: (event: { currentTarget: T }) => void;
}
export type DetailedHTMLProps<E extends HTMLAttributes<T>, T> = { key?: string; ref?: unknown } & E;
export namespace JSX {
  interface Element { type: unknown }
  interface IntrinsicElements { div: HTMLAttributes<HTMLDivElement> }
}
