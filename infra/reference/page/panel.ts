import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { type Control, controlsOf, curlOf, problemOf, requestOf } from './request.ts'
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
  const part = (name: string): HTMLElement => partOf(form, name)
  const touched = new Set<Control | undefined>()
  let isSending = false
  let endCountDown = () => {}

  /** @returns whether the next press sends: nothing is wrong, or what is has been marked */
  const mark = (): boolean => {
    const problem = problemOf(form, contract)
    const isMarked = problem !== undefined && touched.has(problem.control)
    for (const control of controlsOf(form))
      show(control, isMarked && control === problem.control ? problem.sentence : '')
    part('send').textContent = isMarked ? 'Send anyway' : 'Send'
    return isMarked || problem === undefined
  }

  const showOutcome = (outcome: Outcome): void => {
    part('status').textContent = summary(outcome)
    part('status').className = 'failure' in outcome || outcome.status >= 400 ? 'bad' : 'good'
    part('received').hidden = 'failure' in outcome
    part('result').hidden = false
    if ('failure' in outcome) return
    part('headers').textContent = [...outcome.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    part('body').textContent = layOut(outcome.text) ?? outcome.text
    const retryAfter = outcome.headers.get('Retry-After') ?? ''
    if (/^\d+$/.test(retryAfter)) endCountDown = countDown(part('retry'), Number(retryAfter))
  }

  part('fields').removeAttribute('disabled')
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
    part('status').className = ''
    part('status').textContent = 'Sending ...'
    const request = requestOf(form, baseUrl, apiKey())
    const outcome = await send(request)
    isSending = false
    part('retry').textContent = ''
    part('curl').textContent = curlOf(request)
    showOutcome(outcome)
  })
}

const partOf = (form: HTMLFormElement, name: string): HTMLElement => {
  const part = form.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (part === null) throw new Error(`A panel lacks its ${name}.`)
  return part
}

const show = (control: Control, problem: string): void => {
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
