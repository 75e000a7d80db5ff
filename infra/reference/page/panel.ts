import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { type Control, controlsOf, curlOf, problemsOf, requestOf } from './request.ts'
import { countDown, layOut, type Outcome, send } from './response.ts'

interface Caller {
  readonly baseUrl: string
  readonly apiKey: () => string
}

/**
 * Turns a panel on. What the contract forbids is marked as soon as a field is left, and can be sent all the same, by a second
 * press, to see the error.
 */
export const startPanel = (form: HTMLFormElement, contract: OperationContract, { baseUrl, apiKey }: Caller): void => {
  const { fieldset, button, status, retry, result } = partsOf(form)
  const part = (name: string) => result.querySelector(`[data-part="${name}"]`)
  const touched = new Set<Control>()
  let isSending = false
  let endCountDown = () => {}

  const mark = (): boolean => {
    const problems = problemsOf(form, contract)
    for (const control of controlsOf(form)) show(control, touched.has(control) ? problems.get(control) : undefined)
    const isMarked = [...problems.keys()].some((control) => touched.has(control))
    button.textContent = isMarked ? 'Send anyway' : 'Send'
    return isMarked || problems.size === 0
  }

  fieldset.disabled = false
  form.addEventListener('input', mark)
  form.addEventListener('change', ({ target }) => {
    touched.add(target as Control)
    mark()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    if (!mark()) {
      for (const control of controlsOf(form)) touched.add(control)
      mark()
      form.querySelector<Control>('[aria-invalid="true"]')?.focus()
      return
    }
    isSending = true
    endCountDown()
    status.className = ''
    status.textContent = 'Sending ...'
    const request = requestOf(form, baseUrl, apiKey())
    const outcome = await send(request)
    isSending = false
    retry.textContent = ''
    part('curl')?.replaceChildren(curlOf(request))
    status.textContent = summary(outcome)
    status.className = 'failure' in outcome || outcome.status >= 400 ? 'bad' : 'good'
    part('received')?.toggleAttribute('hidden', 'failure' in outcome)
    result.hidden = false
    if ('failure' in outcome) return
    const headers = [...outcome.headers].map(([name, value]) => `${name}: ${value}`)
    part('headers')?.replaceChildren(headers.join('\n'))
    part('body')?.replaceChildren(layOut(outcome.text) ?? outcome.text)
    const retryAfter = outcome.headers.get('Retry-After') ?? ''
    if (/^\d+$/.test(retryAfter)) endCountDown = countDown(retry, Number(retryAfter))
  })
}

const partsOf = (form: HTMLFormElement) => {
  const fieldset = form.querySelector('fieldset')
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]')
  const status = form.querySelector('output')
  const retry = form.querySelector<HTMLElement>('.retry')
  const result = form.querySelector<HTMLElement>('.result')
  if (!fieldset || !button || !status || !retry || !result) throw new Error('A panel lacks a part.')
  return { fieldset, button, status, retry, result }
}

const show = (control: Control, problem = ''): void => {
  control.setAttribute('aria-invalid', String(problem !== ''))
  document.getElementById(`${control.id}-problem`)?.replaceChildren(problem)
}

const summary = (outcome: Outcome): string => {
  if ('failure' in outcome) return outcome.failure
  const { status, statusText, milliseconds, text } = outcome
  const line = `${status}${statusText === '' ? '' : ` ${statusText}`} in ${milliseconds} ms.`
  if (text === '') return `${line} The response has no body.`
  if (layOut(text) !== undefined) return line
  return `${line} The body is not JSON: something between this page and the API may have sent it.`
}
