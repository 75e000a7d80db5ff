import type { ImmutableMap, Plugin, Properties, System } from './swagger-ui.ts'

/** Applies the contract's extensions: removes the live panel of a reserved operation, and shows when one is removed. */
export const operationsPlugin = (system: System): Plugin => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: () => (_state, path, method) => isTriable(system, path, method),
      },
    },
  },
  wrapComponents: {
    OperationSummaryPath:
      (original, { React }) =>
      (properties) => {
        const { createElement, Fragment } = React
        const { path, method } = operationOf(properties)
        const marks = [deprecationMark(system, path, method), reservationMark(system, path, method)]
        return createElement(
          Fragment,
          null,
          createElement(original, properties),
          ...marks.map((text) => (text === undefined ? null : createElement('span', { className: 'mark' }, text))),
        )
      },
  },
})

const operationOf = ({ operationProps }: Properties): { readonly path: string; readonly method: string } => {
  // OperationSummaryPath gets an immutable map with both.
  const operation = operationProps as ImmutableMap
  return { path: String(operation.get('path')), method: String(operation.get('method')) }
}

/** Reads the whole document, as the part of an operation is loaded only when it is opened. */
const extensionOf = ({ specSelectors }: System, path: string, method: string, ...names: readonly string[]): unknown =>
  specSelectors.specJson().getIn(['paths', path, method, ...names])

const isTriable = (system: System, path: string, method: string): boolean =>
  extensionOf(system, path, method, 'x-explorer-enabled') !== false

const reservationMark = (system: System, path: string, method: string): string | undefined =>
  isTriable(system, path, method) ? undefined : 'Reserved: no live panel'

const deprecationMark = (system: System, path: string, method: string): string | undefined => {
  const sunset = extensionOf(system, path, method, 'x-deprecation', 'sunset')
  const advice = extensionOf(system, path, method, 'x-deprecation', 'advice')
  if (sunset === undefined) return undefined
  const day = new Date(String(sunset)).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  return `Deprecated, removed on ${day}. ${String(advice)}`
}
