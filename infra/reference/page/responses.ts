import type { Plugin, Properties, System } from './swagger-ui.ts'

/** Collapses the documented responses: an operation has a dozen, mostly similar errors. A success is open at first. */
export const responsesPlugin = ({ React }: System): Plugin => {
  const { createElement, useState } = React
  return {
    wrapComponents: {
      response: (original) => (properties) => {
        const code = String(properties['code'])
        const [isOpen, setOpen] = useState(code.startsWith('2'))
        return createElement(
          'tr',
          { className: 'response', 'data-code': code },
          createElement('td', { className: 'response-col_status' }, code),
          createElement(
            'td',
            { className: 'response-col_description', colSpan: 2 },
            createElement(
              'details',
              {
                open: isOpen,
                onToggle: (event: { readonly currentTarget: HTMLDetailsElement }) => setOpen(event.currentTarget.open),
              },
              createElement('summary', null, descriptionOf(properties)),
              isOpen
                ? createElement(
                    'table',
                    { className: 'unfolded', role: 'presentation' },
                    createElement('tbody', null, createElement(original, properties)),
                  )
                : null,
            ),
          ),
        )
      },
    },
  }
}

const descriptionOf = ({ response }: Properties): string => {
  // The component gets an immutable map.
  const { get } = response as { readonly get: (key: string) => unknown }
  return String(get.call(response, 'description')).replaceAll('`', '')
}
