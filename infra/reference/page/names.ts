import type { Component, Plugin, Properties, System } from './swagger-ui.ts'

/** Gives names to the controls that Swagger UI leaves without one, for those who do not see the page. */
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
      // What a button shows is its name; Swagger UI calls "Logout" by another.
      Button: (original) => (properties) => createElement(original, { ...properties, 'aria-label': undefined }),
    },
  }
}
