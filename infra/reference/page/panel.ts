// Mutable, as the types of `fetch` and `URLSearchParams` demand.
type NameAndValue = [name: string, value: string]

/** A request as it is sent. */
interface PanelRequest {
  readonly method: string
  readonly url: string
  readonly headers: readonly NameAndValue[]
  readonly body: string | undefined
}

interface ReceivedResponse {
  readonly status: number
  readonly statusText: string
  readonly milliseconds: number
  readonly headers: Headers
  readonly text: string
  /** The text with line breaks. Undefined if the text is not JSON. */
  readonly formattedJson: string | undefined
}

/** A response to show, or a sentence that says why no response came. */
type Outcome = ReceivedResponse | { readonly failure: string }

/** Parts of a panel, by their attribute `data-part`. */
type PanelPart = 'fields' | 'status' | 'result' | 'report' | 'received' | 'body' | 'headers' | 'curl'

/** Seconds to wait for a response. API Gateway ends every request sooner. */
const timeoutSeconds = 30

/**
 * Enables a panel. The browser demands required values, and the API judges all values: its error is shown.
 *
 * @param readApiKey returns the empty string if no key is entered
 */
export const startPanel = (form: HTMLFormElement, readApiKey: () => string): void => {
  let isSending = false
  findPart(form, 'fields').removeAttribute('disabled')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isSending) return
    isSending = true
    const status = findPart(form, 'status')
    status.className = ''
    status.textContent = 'Sending ...'

    const request = createRequest(form, readApiKey())
    showOutcome(form, await send(request))
    findPart(form, 'curl').textContent = formatCurl(request)
    isSending = false
  })
}

const findPart = (form: HTMLFormElement, name: PanelPart): HTMLElement => {
  const part = form.querySelector<HTMLElement>(`[data-part="${name}"]`)
  if (part === null) throw new Error(`A panel lacks its ${name}.`)
  return part
}

const createRequest = (form: HTMLFormElement, apiKey: string): PanelRequest => {
  // The document gives each panel both values.
  const { method = '', url: urlTemplate = '' } = form.dataset
  let url = urlTemplate
  // The browser has demanded all parameters of the path, because they are required.
  for (const [name, value] of readParameters(form, 'path')) url = url.replace(`{${name}}`, encodeURIComponent(value))
  const query = new URLSearchParams(readParameters(form, 'query'))
  const search = String(query) === '' ? '' : `?${query}`
  const body = form.querySelector('textarea')?.value

  const headers: NameAndValue[] = []
  if (apiKey !== '') headers.push(['Authorization', `Bearer ${apiKey}`])
  if (body !== undefined) headers.push(['Content-Type', 'application/json'])
  headers.push(...readParameters(form, 'header'))
  return { method, url: `${url}${search}`, headers, body }
}

/** Reads the parameters whose controls are filled in. */
const readParameters = (form: HTMLFormElement, location: 'path' | 'query' | 'header'): NameAndValue[] => {
  const controls = [...form.querySelectorAll<HTMLInputElement | HTMLSelectElement>(`[data-in="${location}"]`)]
  return controls.filter(({ value }) => value !== '').map(({ name, value }) => [name, value])
}

const send = async ({ method, url, headers, body }: PanelRequest): Promise<Outcome> => {
  const failure = describeUnsendable(headers)
  if (failure !== undefined) return { failure }
  const start = performance.now()
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers],
      body: body ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
    })
    const text = await response.text()
    return {
      status: response.status,
      statusText: response.statusText,
      milliseconds: Math.round(performance.now() - start),
      headers: response.headers,
      text,
      formattedJson: formatJson(text),
    }
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    if (isTimeout) return { failure: `No response came within ${timeoutSeconds} seconds.` }
    return { failure: `No response came: ${error instanceof Error ? error.message : error}.` }
  }
}

/** Describes a character that no header can have, such as a curly quotation mark. The error of `fetch` names none. */
const describeUnsendable = (headers: readonly NameAndValue[]): string | undefined => {
  for (const [name, value] of headers) {
    const [character] = value.match(/[^ -~]/u) ?? []
    if (character === undefined) continue
    const field = name === 'Authorization' ? 'The API key' : `The header ${name}`
    const codePoint = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
    return `${field} has a character that it cannot have: ${character} (U+${codePoint}).`
  }
  return undefined
}

/** Formats a request as a curl command for a POSIX shell. The shell reads the API key from a variable. */
const formatCurl = ({ method, url, headers, body }: PanelRequest): string => {
  const methodOption = method === 'GET' ? '' : ` -X ${method}`
  const lines = [`curl -i${methodOption} ${quote(url)}`]
  for (const [name, value] of headers) {
    const isApiKey = name === 'Authorization'
    lines.push(isApiKey ? '-H "Authorization: Bearer $PET_API_KEY"' : `-H ${quote(`${name}: ${value}`)}`)
  }
  if (body !== undefined) lines.push(`--data-raw ${quote(body)}`)
  return lines.join(' \\\n  ')
}

/** Quotes a text for a shell. A single quote in it ends the quoted text, stands escaped, and begins another one. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const showOutcome = (form: HTMLFormElement, outcome: Outcome): void => {
  const isFailure = 'failure' in outcome
  const status = findPart(form, 'status')
  status.textContent = summarize(outcome)
  status.className = isFailure || outcome.status >= 400 ? 'bad' : 'good'
  findPart(form, 'received').hidden = isFailure
  findPart(form, 'result').hidden = false
  const report = findPart(form, 'report')
  report.replaceChildren()
  if (isFailure) return

  const headerLines = [...outcome.headers].map(([name, value]) => `${name}: ${value}`)
  findPart(form, 'headers').textContent = headerLines.join('\n')
  findPart(form, 'body').textContent = outcome.formattedJson ?? outcome.text
  if (outcome.status >= 400) report.append(...renderErrorAdvice(outcome))
}

const summarize = (outcome: Outcome): string => {
  if ('failure' in outcome) return outcome.failure
  const { status, statusText, milliseconds, text, formattedJson } = outcome
  const statusLine = statusText === '' ? String(status) : `${status} ${statusText}`
  const summary = `${statusLine} in ${milliseconds} ms.`
  if (text === '') return `${summary} The response has no body.`
  if (formattedJson !== undefined) return summary
  return `${summary} The body is not JSON: something between this page and the API may have sent it.`
}

/** Renders what the API says to change, and the ids that name the request in a report. */
const renderErrorAdvice = ({ status, headers, text }: ReceivedResponse): readonly (string | Node)[] => {
  const parts: (string | Node)[] = []
  const error = readError(text)
  // A code of a later release is not in the table of errors.
  if (error !== undefined && document.getElementById(`error-${error.code}`) !== null) {
    parts.push(createLink(`#error-${error.code}`, error.code), `: ${error.message} `)
  }
  if (status === 401) parts.push(createLink('#api-key', 'Enter an API key'), '. ')
  const ids = ['x-amz-apigw-id', 'x-amzn-RequestId'].flatMap((name) => headers.get(name) ?? [])
  if (ids.length > 0) parts.push(createLink('#report-a-problem', 'To report it'), `, send us this: ${ids.join(', ')}`)
  return parts
}

/** @returns undefined if the text is not an error of the API */
const readError = (text: string): { readonly code: string; readonly message: string } | undefined => {
  try {
    const { code, message } = JSON.parse(text)
    return { code: String(code), message: String(message) }
  } catch {
    return undefined
  }
}

const createLink = (href: string, text: string): HTMLAnchorElement => {
  const link = document.createElement('a')
  link.href = href
  link.textContent = text
  return link
}

// TypeScript's library does not declare `JSON.rawJSON` yet, and some browsers do not have it.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON?: (text: string) => unknown }

/**
 * Formats JSON with line breaks. Each number keeps its digits, so a browser without `rawJSON`, which would round
 * them, gets the text as it is.
 *
 * @returns undefined if the text is not JSON
 */
const formatJson = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text, keepDigits)
    return rawJSON === undefined ? text : JSON.stringify(value, null, 2)
  } catch {
    return undefined
  }
}

/** Reviver of `JSON.parse`. Its third argument has the digits of a number, in browsers that pass one. */
const keepDigits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
  const digits = context?.source
  return typeof value === 'number' && digits !== undefined ? rawJSON?.(digits) : value
}
