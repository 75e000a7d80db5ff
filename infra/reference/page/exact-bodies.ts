import { type JsonToken, layOutJson, readJsonTokens } from './json-text.ts'
import type { Plugin, System } from './swagger-ui.ts'

/** Shows bodies with all digits of their integers. Swagger UI itself parses them, which rounds an int64. */
export const exactBodiesPlugin = (system: System): Plugin => {
  const { createElement } = system.React
  return {
    wrapComponents: {
      responseBody: (original) => (properties) => {
        const { content, contentType } = properties
        if (typeof content !== 'string' || !/json/i.test(String(contentType)))
          return createElement(original, properties)
        return createElement(
          'div',
          null,
          createElement('h5', null, 'Response body'),
          createElement(
            system.getComponent('HighlightCode', true),
            { language: 'json', downloadable: true, canCopy: true, fileName: 'response.json' },
            layOutJson(content),
          ),
        )
      },
    },
    components: {
      SyntaxHighlighter: ({ children }) => {
        const text = String(children)
        const tokens = readJsonTokens(text)
        return createElement(
          'pre',
          { className: 'shown-code', tabIndex: 0 },
          createElement('code', null, ...(tokens?.map(drawToken) ?? [text])),
        )
      },
    },
  }

  function drawToken({ kind, text }: JsonToken) {
    return kind === 'space' || kind === 'mark' ? text : createElement('span', { className: `json-${kind}` }, text)
  }
}
