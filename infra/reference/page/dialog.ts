import type { Plugin, System } from './swagger-ui.ts'

/** Opens the form for the API key as a dialog of the browser's: it has the focus, keeps it, and gives it back. */
export const dialogPlugin = ({ React, authActions }: System): Plugin => {
  let opener: Element | null = null
  const follow = (dialog: HTMLDialogElement | null): void => {
    if (dialog === null) {
      if (opener instanceof HTMLElement) opener.focus()
      return
    }
    opener = document.activeElement
    dialog.showModal()
    dialog.querySelector('input')?.focus()
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
