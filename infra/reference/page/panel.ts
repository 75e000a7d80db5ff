import type { OperationContract } from '../../../shared/http/operation-contract.ts'
import { type Control, createRequest, findControls, findProblem, formatCurl, type Problem } from './request.ts'
import { formatJson, type Outcome, send, startCountdown } from './response.ts'

interface PanelOptions {
  readonly baseUrl: string
  readonly readApiKey: () => string
  /** Marks the field of the API key, or removes the mark if the problem is empty. */
  readonly markApiKey: (problem: string) => void
}

/** Parts of a panel, by their attribute `data-part`. */
type PanelPart = 'fields' | 'send' | 'status' | 'result' | 'retry' | 'report' | 'received' | 'body' | 'headers' | 'curl'

/**
 * Enables a panel. A value that breaks the contract is marked when its field is left. The reader can send it all the
 * same with a second press of the button, to see the error of the API.
 */
export const startPanel = (form: HTMLFormElement, contract: OperationContract, options: PanelOptions): void => {
  /** Controls that the reader has left or tried to send. Problems of other controls stay hidden. */
  const touchedControls = new Set<Control | undefined>()
  let isSending = false
  let stopCountdown = () => {}

  /** Shows the first problem of the form if its control is touched. Returns whether it is shown. */
  const showProblem = (): 'none' | 'shown' | 'hidden' => {
    const problem = findProblem(form, contract)
    const isShown = problem !== undefined && touchedControls.has(problem.control)
    markProblem(form, isShown ? problem : undefined)
    if (problem === undefined) return 'none'
    return isShown ? 'shown' : 'hidden'
  }

  const showAllProblems = (): void => {
    for (const control of findControls(form)) touchedControls.add(control)
    showProblem()
    form.querySelector<Control>('[aria-invalid="true"]')?.focus()
  }

  const sendRequest = async (): Promise<void> => {
    isSending = true
    stopCountdown()
    const status = findPart(form, 'status')
    status.className = ''
    status.textContent = 'Sending ...'

    const apiKey = options.readApiKey()
    const request = createRequest(form, options.baseUrl, apiKey)
    const outcome = await send(request)

    isSending = false
    findPart(form, 'retry').textContent = ''
    findPart(form, 'curl').textContent = formatCurl(request)
    showOutcome(form, outcome)
    showReport(form, outcome)
    options.markApiKey(findKeyProblem(apiKey, outcome))
    stopCountdown = startRetryCountdown(form, outcome)
  }

  findPart(form, 'fields').removeAttribute('disabled')
  form.addEventListener('input', showProblem)
  form.addEventListener('change', ({ target }) => {
    // Only controls of the form send this event.
    touchedControls.add(target as Control)
    showProblem()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    if (showProblem() === 'hidden') showAllProblems()
    else await sendRequest()
  })
}

const findPart = (form: HTMLFormElement, name: PanelPart): HTMLElement => {
  const part = form.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (part === null) throw new Error(`A panel lacks its ${name}.`)
  return part
}

/** Marks the control that has the problem, and no other. */
const markProblem = (form: HTMLFormElement, problem: Problem | undefined): void => {
  for (const control of findControls(form)) {
    const isInvalid = control === problem?.control
    control.setAttribute('aria-invalid', String(isInvalid))
    document.getElementById(`${control.id}-problem`)?.replaceChildren(isInvalid ? problem.message : '')
  }
  findPart(form, 'send').textContent = problem === undefined ? 'Send' : 'Send anyway'
}

const showOutcome = (form: HTMLFormElement, outcome: Outcome): void => {
  const isFailure = 'failure' in outcome
  const status = findPart(form, 'status')
  status.textContent = summarize(outcome)
  status.className = isFailure || outcome.status >= 400 ? 'bad' : 'good'
  findPart(form, 'received').hidden = isFailure
  findPart(form, 'result').hidden = false
  if (isFailure) return

  const headerLines = [...outcome.headers].map(([name, value]) => `${name}: ${value}`)
  findPart(form, 'headers').textContent = headerLines.join('\n')
  findPart(form, 'body').textContent = formatJson(outcome.text) ?? outcome.text
}

/** @returns an empty text if the API accepted the key, or did not judge it */
const findKeyProblem = (apiKey: string, outcome: Outcome): string => {
  if ('failure' in outcome || outcome.status !== 401) return ''
  return apiKey === '' ? 'Enter your API key: the last request had none.' : 'The API does not accept this key.'
}

/** Says what an error means, and which ids name the request in a report. */
const showReport = (form: HTMLFormElement, outcome: Outcome): void => {
  const report = findPart(form, 'report')
  report.replaceChildren()
  if ('failure' in outcome || outcome.status < 400) return

  if (outcome.status === 401) report.append(createLink('#api-key', 'Enter an API key'), '. ')
  const code = findErrorCode(outcome.text)
  if (code !== undefined) report.append('Error: ', createLink(`#error-${code}`, code), '. ')
  const ids = ['x-amz-apigw-id', 'x-amzn-RequestId'].flatMap((name) => outcome.headers.get(name) ?? [])
  if (ids.length > 0) report.append(createLink('#reporting', 'To report it'), `, send us this: ${ids.join(', ')}`)
}

const createLink = (href: string, text: string): HTMLAnchorElement => {
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  return link
}

/** @returns undefined if the body names no error of the table on this page */
const findErrorCode = (body: string): string | undefined => {
  const [, code] = /"code": ?"(\w+)"/.exec(body) ?? []
  return document.getElementById(`error-${code}`) === null ? undefined : code
}

const summarize = (outcome: Outcome): string => {
  if ('failure' in outcome) return outcome.failure
  const { status, statusText, milliseconds, text } = outcome
  const statusLine = statusText === '' ? String(status) : `${status} ${statusText}`
  const summary = `${statusLine} in ${milliseconds} ms.`
  if (text === '') return `${summary} The response has no body.`
  if (formatJson(text) !== undefined) return summary
  return `${summary} The body is not JSON: something between this page and the API may have sent it.`
}

/** @returns a function that stops the countdown */
const startRetryCountdown = (form: HTMLFormElement, outcome: Outcome): (() => void) => {
  const retryAfter = 'failure' in outcome ? null : outcome.headers.get('Retry-After')
  if (retryAfter === null || !/^\d+$/.test(retryAfter)) return () => {}
  return startCountdown(findPart(form, 'retry'), Number(retryAfter))
}
