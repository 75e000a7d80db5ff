import { addCopyButtons, announce } from './copying.ts'
import { followSections } from './navigation.ts'
import { startPanel } from './panel.ts'
import { keepTableRoles } from './tables.ts'

const keyField = document.querySelector<HTMLInputElement>('#api-key')

/** Reads the API key from its field, the only place where the page keeps the key. */
const readApiKey = (): string => keyField?.value.trim() ?? ''

const setText = (selector: string, text: string): void => {
  for (const element of document.querySelectorAll(selector)) element.textContent = text
}

const enableDemoKeys = (field: HTMLInputElement): void => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) {
    const { apiKey = '', plan = '' } = button.dataset
    button.disabled = false
    button.addEventListener('click', () => {
      const message = `This page uses the demo key of the plan ${plan}.`
      field.value = apiKey
      setText('.example-key', apiKey)
      setText('#key-in-use', message)
      announce(message)
    })
  }
}

if (keyField !== null) {
  keyField.disabled = false
  enableDemoKeys(keyField)
}
setText('.site-url', location.origin)
// A browser that translates the page leaves code as it is.
for (const code of document.querySelectorAll('code')) code.translate = false
addCopyButtons()
keepTableRoles()
followSections()
const { baseUrl = '' } = document.body.dataset
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-operation]')) {
  startPanel(form, { baseUrl, readApiKey })
}
