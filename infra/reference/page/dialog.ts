import type { Plugin, System } from './swagger-ui.ts'

/** Opens the form for the API key as a dialog of the browser's: it has the focus, keeps it, and gives it back. */
export const dialogPlugin = ({ React, authActions }: System): Plugin => {
  let shown: HTMLDialogElement | null = null
  /** React calls this when the dialog is there, and with `null` before it goes. */
  const follow = (dialog: HTMLDialogElement | null): void => {
    // Closed while it is still there, it gives the focus back.
    shown?.close()
    shown = dialog
    shown?.showModal()
    shown?.querySelector('input')?.focus()
  }
  return {
    wrapComponents: {
      authorizationPopup: (original) => (properties) =>
        React.createElement(
          'dialog',
          {
            ref: follow,
            className: 'key-dialog',
            'aria-label': 'API key',
            onCancel: () => authActions.showDefinitions(false),
          },
          React.createElement(original, properties),
        ),
    },
  }
}
