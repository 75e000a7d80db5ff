import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { startPanel } from './panel.ts'

/** @param contracts of the operations that have a panel, by their ids */
export const startPage = (contracts: Readonly<Record<string, OperationContract>>): void => {
  offerDemonstrationKeys()
  for (const block of document.querySelectorAll<HTMLElement>('.copied pre')) offerCopy(block)
  const baseUrl = document.body.dataset['baseUrl'] ?? ''
  for (const form of document.querySelectorAll<HTMLFormElement>('form.panel')) {
    const contract = contracts[form.dataset['operation'] ?? '']
    if (contract !== undefined) startPanel(form, contract, { baseUrl, apiKey })
  }
}

/** It is kept nowhere else than in its field. */
const apiKey = (): string => keyField()?.value.trim() ?? ''

const keyField = () => document.querySelector<HTMLInputElement>('#api-key')

const offerDemonstrationKeys = (): void => {
  const field = keyField()
  if (field === null) return
  field.disabled = false
  for (const button of document.querySelectorAll<HTMLButtonElement>('.use-key')) {
    const { apiKey: demoKey = '', plan = '' } = button.dataset
    button.disabled = false
    button.addEventListener('click', () => {
      field.value = demoKey
      for (const example of document.querySelectorAll('.example-key')) example.textContent = demoKey
      const status = document.querySelector('#key-in-use')
      if (status !== null) status.textContent = `This page now uses the demo key of the ${plan} plan.`
    })
  }
}

const offerCopy = (block: HTMLElement): void => {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const isCopied = await navigator.clipboard.writeText(block.textContent ?? '').then(
      () => true,
      () => false,
    )
    button.textContent = isCopied ? 'Copied' : 'Not allowed'
  })
  block.after(button)
}
