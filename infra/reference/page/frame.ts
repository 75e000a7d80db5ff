import type { Plugin, System } from './swagger-ui.ts'

/** Removes the parts of Swagger UI that the page has itself or does not need, and scrolls as the page does. */
export const framePlugin = ({ React }: System): Plugin => ({
  components: {
    InfoContainer: () => null,
    // There is one server, and the page names it.
    ServersContainer: () => null,
    OperationServers: () => null,
    // The keyboard could not reach a link inside the button that opens the operation.
    DeepLink: ({ text }) => React.createElement('span', null, text as string),
  },
  statePlugins: {
    layout: {
      wrapActions: {
        // Swagger UI computes its own position, which is under the header of the page.
        scrollToElement: () => (element) => element.scrollIntoView(),
        // It scrolls to a linked operation only when it draws it.
        scrollTo: (original) => (path) => {
          const drawn = document.getElementById(path.join('-'))
          if (drawn === null) original(path)
          else drawn.scrollIntoView()
        },
      },
    },
  },
})
