import type { Plugin, System } from './swagger-ui.ts'

/** Opens the form for the API key as a native dialog, which takes the focus, keeps it, and returns it. */
export const dialogPlugin = ({ React, authActions }: System): Plugin => {
  let open: HTMLDialogElement | null = null
  /** React calls this with the dialog when it is mounted, and with `null` before it is removed. */
  const follow = (dialog: HTMLDialogElement | null): void => {
    // A dialog returns the focus only if it is closed before it is removed.
    open?.close()
    open = dialog
    open?.showModal()
    open?.querySelector('input')?.focus()
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
