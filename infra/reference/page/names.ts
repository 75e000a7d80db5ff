import type { Component, Plugin, Properties, System } from './swagger-ui.ts'

/** Gives accessible names to the controls of Swagger UI that have none. */
export const namesPlugin = ({ React }: System): Plugin => {
  const { createElement, Fragment } = React
  const hidden = (text: string) => createElement('span', { className: 'visually-hidden' }, text)

  const labelled = (nameOf: (properties: Properties) => string) => (original: Component) => (properties: Properties) =>
    createElement('label', { className: 'labelled' }, hidden(nameOf(properties)), createElement(original, properties))

  return {
    wrapComponents: {
      JsonSchemaForm: labelled(({ description }) => String(description)),
      RequestBodyEditor: labelled(() => 'Request body'),
      ExamplesSelect: labelled(() => 'Example'),
      CloseIcon: (original) => (properties) =>
        createElement(Fragment, null, createElement(original, properties), hidden('Close')),
      // The text of a button is its name; Swagger UI gives "Logout" another.
      Button: (original) => (properties) => createElement(original, { ...properties, 'aria-label': undefined }),
    },
  }
}
