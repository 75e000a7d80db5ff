import type { Plugin, System } from './swagger-ui.ts'

/** Removes the parts of Swagger UI that the page has itself or does not need. */
export const framePlugin = ({ React }: System): Plugin => ({
  components: {
    InfoContainer: () => null,
    // There is one server, and the page names it.
    ServersContainer: () => null,
    OperationServers: () => null,
    // The keyboard could not reach a link inside the button that opens the operation.
    DeepLink: ({ text }) => React.createElement('span', null, text as string),
  },
})
