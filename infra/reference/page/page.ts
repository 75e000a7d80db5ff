import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { addCopyButtons, announce } from './copying.ts'
import { followSections, unfoldTargets } from './navigation.ts'
import { startPanel } from './panel.ts'
import { startSearch } from './search.ts'
import { keepTableRoles } from './tables.ts'
import { createTabs } from './tabs.ts'

/** @param contracts contracts of the operations that have a panel, by `operationId` */
export const startPage = (contracts: Readonly<Record<string, OperationContract>>): void => {
  enableKeyField()
  setText('.site-url', location.origin)
  addCopyButtons()
  createTabs()
  keepTableRoles()
  startSearch()
  followSections()
  unfoldTargets()

  const baseUrl = document.body.dataset['baseUrl'] ?? ''
  for (const form of document.querySelectorAll<HTMLFormElement>('form.panel')) {
    const contract = contracts[form.dataset['operation'] ?? '']
    if (contract !== undefined) startPanel(form, contract, { baseUrl, readApiKey, markApiKey })
  }
}

const findKeyField = () => document.querySelector<HTMLInputElement>('#api-key')

/** Reads the API key from its field, the only place where the page keeps the key. */
const readApiKey = (): string => findKeyField()?.value.trim() ?? ''

/** Marks the field of the API key and says its problem. An empty problem removes the mark. */
const markApiKey = (problem: string): void => {
  findKeyField()?.setAttribute('aria-invalid', String(problem !== ''))
  setText('#api-key-problem', problem)
}

const enableKeyField = (): void => {
  const keyField = findKeyField()
  if (keyField === null) return
  keyField.disabled = false
  keyField.addEventListener('input', () => markApiKey(''))

  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) {
    const { apiKey = '', plan = '' } = button.dataset
    button.disabled = false
    button.addEventListener('click', () => {
      const message = `This page now uses the demo key of the ${plan} plan.`
      keyField.value = apiKey
      markApiKey('')
      setText('.example-key', apiKey)
      setText('#key-in-use', message)
      announce(message)
    })
  }
}

const setText = (selector: string, text: string): void => {
  for (const element of document.querySelectorAll(selector)) element.textContent = text
}
