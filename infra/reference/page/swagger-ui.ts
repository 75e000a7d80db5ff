/** The types of what this page uses of Swagger UI and its libraries, which publish none. */

export type Properties = Readonly<Record<string, unknown>>
/** What React renders. */
export type Element = { readonly type: unknown } | string | null
export type Component = (properties: Properties) => Element

export interface React {
  readonly createElement: (
    type: string | symbol | Component,
    properties: Properties | null,
    ...children: readonly (Element | readonly Element[])[]
  ) => Element
  readonly Fragment: symbol
  readonly useState: <Value>(initial: Value) => readonly [Value, (next: Value) => void]
}

/** Of immutable.js. */
export interface ImmutableMap {
  readonly get: (key: string) => unknown
  readonly getIn: (path: readonly string[]) => unknown
}

export interface System {
  readonly React: React
  readonly getComponent: (name: string, isContainer?: boolean) => Component
  readonly specSelectors: { readonly specJson: () => ImmutableMap }
  readonly authActions: { readonly showDefinitions: (isShown: false) => void }
}

type Wrapper = (original: Component, system: System) => Component

type WrapAction<Target> = (original: (target: Target) => void) => (target: Target) => void

export interface Plugin {
  readonly components?: Readonly<Record<string, Component>>
  readonly wrapComponents?: Readonly<Record<string, Wrapper>>
  readonly statePlugins?: {
    readonly layout?: {
      readonly wrapActions: {
        readonly scrollTo: WrapAction<readonly string[]>
        readonly scrollToElement: WrapAction<HTMLElement>
      }
    }
    readonly spec?: {
      readonly wrapSelectors: {
        readonly allowTryItOutFor: (
          original: unknown,
          system: System,
        ) => (state: unknown, path: string, method: string) => boolean
      }
    }
  }
}

export interface Explorer {
  readonly preauthorizeApiKey: (scheme: string, apiKey: string) => void
  readonly layoutActions: { readonly parseDeepLinkHash: (hash: string) => void }
}

declare global {
  var SwaggerUIBundle: (
    options: Readonly<Record<string, unknown>> & { readonly plugins: readonly ((system: System) => Plugin)[] },
  ) => Explorer
}
