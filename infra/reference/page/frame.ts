import type { Plugin, System } from './swagger-ui.ts'

/** Leaves out what the page itself says, and what is of no use here. */
export const framePlugin = ({ React }: System): Plugin => ({
  components: {
    InfoContainer: () => null,
    // There is one server, and the page names it.
    ServersContainer: () => null,
    OperationServers: () => null,
    // A link inside of the button that opens the operation could not be reached by keyboard.
    DeepLink: ({ text }) => React.createElement('span', null, text as string),
  },
})
