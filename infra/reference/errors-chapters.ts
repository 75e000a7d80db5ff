import { catalogue } from '../../shared/contract/generated/errors.ts'
import type { Contract } from '../contract/contract.ts'
import { renderHeaders } from './contract-text.ts'
import { type Html, html, type Row, renderTable } from './html.ts'
import { renderCommonResponses } from './operation-section.ts'
import type { SiteOptions } from './site-options.ts'

/** Statuses after which a retry can succeed without a change of the request. The clients retry the same ones. */
const retriedStatuses: readonly number[] = [429, 500, 503, 504]

export const explainRetries = (contract: Contract): Html => html`
  <p>Retry after a response with the status ${joinWords(retriedStatuses, 'or')}, and when no response came. After any
    other error, change the request first. The <a href="#errors">table of errors</a> says it for each code. Wait as
    long as this header says:</p>
  ${renderHeaders(contract, ['Retry-After'])}
  <p>If a response has no such header, wait for a random time: up to a second before the first retry, and up to twice
    as long before each further one.</p>
  <p>Retry a <code>POST</code> only with an <code>Idempotency-Key</code>. The <a href="#clients">clients</a> do all of
    this.</p>`

export const explainErrors = (contract: Contract): Html => {
  const codes = Object.keys(catalogue) as readonly (keyof typeof catalogue)[]
  return html`
  <p>The body of every error response has three fields: <code>code</code> for programs, <code>message</code> for people,
    and the HTTP <code>status</code>. The message of a response is often more precise than the one in this table.</p>
  <p>Later versions can add codes and fields. Ignore a field that you do not know, and treat an error whose code you do
    not know by its status.</p>
  ${renderTable(
    'error-codes',
    ['Code', 'Status', 'Retry?', 'Message'],
    codes.map((code) => describeError(contract, code)),
  )}
  <h3 id="common-responses"><a href="#common-responses">Responses of every operation</a></h3>
  ${renderCommonResponses(findCommonResponses(contract))}`
}

const describeError = (contract: Contract, code: keyof typeof catalogue): Row => {
  const { status, message } = catalogue[code]
  return {
    id: `error-${code}`,
    find: 'Error',
    cells: [html`<a href="#error-${code}"><code>${code}</code></a>`, status, judgeRetry(contract, status), message],
  }
}

/** Says what a retry of the unchanged request is worth. */
const judgeRetry = ({ unroutedResponses }: Contract, status: number): string => {
  if (!retriedStatuses.includes(status)) return 'no'
  const { headers = {} } = unroutedResponses[status] ?? {}
  return 'Retry-After' in headers ? 'yes, after Retry-After' : 'yes, after a random time'
}

/** Finds the responses of requests that name no operation which every operation can have too. */
export const findCommonResponses = ({ operations, unroutedResponses }: Contract): Contract['unroutedResponses'] => {
  const isCommon = (status: string): boolean => operations.every(({ responses }) => responses[status] !== undefined)
  return Object.fromEntries(Object.entries(unroutedResponses).filter(([status]) => isCommon(status)))
}

export const explainReports = (contract: Contract, { contactUrl }: SiteOptions): Html => {
  const operator =
    contactUrl === undefined ? html`the operator of this API` : html`<a href="${contactUrl}">the operator</a>`
  return html`
  <p>Send us the time of the request and its ids. Every response has them, and so has each panel on this page when an
    error came. Write to ${operator}. Never send your API key.</p>
  ${renderHeaders(contract, ['x-amz-apigw-id', 'x-amzn-RequestId'])}`
}

/** Joins words as in a sentence: `429, 500, 503 or 504`. */
const joinWords = (words: readonly (string | number)[], conjunction: string): string =>
  `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
