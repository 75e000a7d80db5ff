import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { startPanel } from './panel.ts'

/** @param contracts contracts of the operations that have a panel, by `operationId` */
export const startPage = (contracts: Readonly<Record<string, OperationContract>>): void => {
  enableKeyField()
  for (const block of document.querySelectorAll<HTMLElement>('.copyable pre')) addCopyButton(block)

  const baseUrl = document.body.dataset['baseUrl'] ?? ''
  for (const form of document.querySelectorAll<HTMLFormElement>('form.panel')) {
    const contract = contracts[form.dataset['operation'] ?? '']
    if (contract !== undefined) startPanel(form, contract, { baseUrl, readApiKey })
  }
}

const findKeyField = () => document.querySelector<HTMLInputElement>('#api-key')

/** Reads the API key from its field, the only place where the page keeps the key. */
const readApiKey = (): string => findKeyField()?.value.trim() ?? ''

const enableKeyField = (): void => {
  const keyField = findKeyField()
  if (keyField === null) return
  keyField.disabled = false

  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) {
    const { apiKey = '', plan = '' } = button.dataset
    button.disabled = false
    button.addEventListener('click', () => {
      keyField.value = apiKey
      setText('.example-key', apiKey)
      setText('#key-in-use', `This page now uses the demo key of the ${plan} plan.`)
    })
  }
}

const setText = (selector: string, text: string): void => {
  for (const element of document.querySelectorAll(selector)) element.textContent = text
}

const addCopyButton = (block: HTMLElement): void => {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not allowed'
    }
  })
  block.after(button)
}
