import { fixedPlans, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { rateLimitHeaderNames } from '../../shared/http/response-headers.ts'
import { type Contract, type ContractOperation, stageName } from '../contract/contract.ts'
import { apiKeyPlaceholder, readClientFile, splitAtApiKey } from './client-files.ts'
import {
  capitalize,
  formatDate,
  type Html,
  html,
  renderCode,
  renderDefinitions,
  renderTable,
  renderText,
  splitParagraphs,
} from './html.ts'
import type { DemoKey, SiteOptions } from './site-options.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** Builds the guide for new callers. Its facts come from the contract and from the code of the service. */
export const buildGuide = (contract: Contract, options: SiteOptions): readonly Chapter[] => [
  { id: 'get-a-key', title: 'Get a key', content: explainKeys(options) },
  { id: 'first-request', title: 'Make a first request', content: explainFirstRequest(options) },
  { id: 'paging', title: 'Page through a list', content: explainPaging(contract, options) },
  { id: 'following', title: 'Follow new animals', content: explainFollowing(contract, options) },
  { id: 'limits', title: 'Keep to your limits', content: explainLimits(contract) },
  { id: 'retrying', title: 'Retry', content: explainRetries(contract) },
  { id: 'creating-once', title: 'Create once', content: explainIdempotencyKeys(contract, options) },
  { id: 'exact-integers', title: 'Keep integers exact', content: explainIntegers() },
  { id: 'errors', title: 'Handle errors', content: explainErrors(contract) },
  { id: 'versions', title: 'Follow versions', content: explainVersions(contract) },
]

const explainKeys = (options: SiteOptions): Html => html`
  <p>Every request needs an API key, sent as a bearer token:</p>
  ${renderCode(html`Authorization: Bearer ${renderExampleKey(options)}`)}
  ${options.demoKeys === undefined ? renderContact(options.contactUrl) : renderDemoKeys(options.demoKeys)}
  <p>An API key is a secret and belongs on a server: everybody who opens a web page can read what the page sends. Let
    your server call the API for your pages, and let it pass on only the operations that they need.</p>`

/** Renders the API key in an example. The page's script replaces it with the demo key that the reader chooses. */
const renderExampleKey = ({ demoKeys }: SiteOptions): Html =>
  html`<span class="example-key">${demoKeys?.[0]?.apiKey ?? apiKeyPlaceholder}</span>`

const renderContact = (contactUrl: string | undefined): Html => {
  if (contactUrl === undefined) return html`<p>To get one, contact the operator of this API.</p>`
  return html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`
}

const renderDemoKeys = (demoKeys: readonly DemoKey[]): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the examples and the panels on this page.</p>
  ${renderTable('demo-keys', ['Plan', 'Demo key', 'On this page'], demoKeys.map(renderDemoKey))}
  <p id="key-in-use" class="good" role="status"></p>`

const renderDemoKey = ({ plan, apiKey }: DemoKey): Html => html`<tr>
        <th scope="row">${capitalize(plan)}</th>
        <td><code>${apiKey}</code></td>
        <td><button type="button" class="use-key" data-plan="${plan}" data-api-key="${apiKey}"
          aria-label="Use the demo key of the ${plan} plan" disabled>Use</button></td>
      </tr>`

const explainFirstRequest = (options: SiteOptions): Html => html`
  <p>List the newest animals from a terminal, or in a <a href="#listPets">panel</a> below:</p>
  ${renderCode(html`curl -i "${options.baseUrl}/pets?limit=3" \\
  -H "Authorization: Bearer ${renderExampleKey(options)}"`)}`

const explainPaging = (contract: Contract, { baseUrl }: SiteOptions): Html => {
  const { paging } = findListParagraphs(contract)
  return html`
  <p>${renderText(paging)}</p>
  ${renderCode(`Link: <${baseUrl}/pets?limit=20&cursor=...>; rel="next"`)}`
}

const explainFollowing = (contract: Contract, options: SiteOptions): Html => {
  const { lag } = findListParagraphs(contract)
  const example = readClientFile('TypeScript', 'follow-new-animals.ts', options)
  const [beforeKey, afterKey] = splitAtApiKey(example)
  return html`
  <p>${renderText(lag)}</p>
  <p>Poll the list in three steps:</p>
  <ol>
    <li>Read newest to oldest, page by page, without <code>status</code>.</li>
    <li>An animal that you have not seen before is new. Remember when you first saw it.</li>
    <li>Stop at an animal that you first saw more than a minute before your previous poll began.</li>
  </ol>
  <p>The first two polls read the whole list. Later polls usually read one page. The clients do all of this:</p>
  ${renderCode(html`${beforeKey}${renderExampleKey(options)}${afterKey.trimEnd()}`)}`
}

/** Finds the two paragraphs in the contract's description of the list that explain its paging and its lag. */
const findListParagraphs = ({ operations }: Contract): { readonly paging: string; readonly lag: string } => {
  const { description = '' } = operations.find(({ operationId }) => operationId === 'listPets') ?? {}
  const [paging, lag] = splitParagraphs(description)
  if (paging === undefined || lag === undefined) {
    throw new Error('The contract must describe listPets in two paragraphs or more.')
  }
  return { paging, lag }
}

const explainLimits = (contract: Contract): Html => html`
  <p>Each key has two limits: one for each minute, and one for each UTC day. Its plan sets both.</p>
  ${renderTable('plans', ['Plan', 'Requests a minute', 'Requests a day'], planNames.map(renderPlan))}
  <p>The headers of each response say how many requests remain:</p>
  ${renderHeaders(contract, rateLimitHeaderNames)}`

const renderPlan = (plan: Plan): Html => {
  const { perMinute, perDay } = formatAllowance(plan)
  return html`<tr><th scope="row">${capitalize(plan)}</th><td>${perMinute}</td><td>${perDay}</td></tr>`
}

const formatAllowance = (plan: Plan): { readonly perMinute: string; readonly perDay: string } => {
  if (plan === 'enterprise') return { perMinute: 'set for each key', perDay: 'set for each key' }
  const { perMinute, perDay } = fixedPlans[plan]
  return {
    perMinute: perMinute.toLocaleString('en-GB'),
    perDay: perDay.toLocaleString('en-GB'),
  }
}

const explainRetries = (contract: Contract): Html => html`
  <p>Retry after a response with the status 429, 500, 503 or 504, and when no response came. After any other
    error, change the request first. Wait as long as this header says:</p>
  ${renderHeaders(contract, ['Retry-After'])}
  <p>If a response has no such header, wait for a random time: up to a second before the first retry, and up to
    twice as long before each further one. Retry a <code>POST</code> only with an <code>Idempotency-Key</code>. A key
    that keeps sending requests after a 429 is banned for a time. The clients above do all of this.</p>`

const explainIdempotencyKeys = ({ document }: Contract, options: SiteOptions): Html => html`
  <p>If the response to a <code>POST</code> is lost, you cannot know whether the animal was added. With the header
    <code>Idempotency-Key</code> you can retry safely.
    ${renderText(findDescription(document.components.parameters, 'IdempotencyKey'))}</p>
  ${renderCode(html`curl -i -X POST "${options.baseUrl}/pets" \\
  -H "Authorization: Bearer ${renderExampleKey(options)}" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11" \\
  -d '{"name":"Bella","categoryId":1}'`)}
  ${renderHeaders({ document }, ['Idempotency-Replayed'])}`

const explainIntegers = (): Html => html`
  <p>A <code>categoryId</code> can be any int64. The service and this page keep all its digits. Many JSON parsers, such
    as that of JavaScript, round integers beyond 2<sup>53</sup>. The clients above do not round.</p>`

const explainErrors = (contract: Contract): Html => html`
  <p>${renderText(findDescription(contract.document.components.schemas, 'Error'))} It has three fields: <code>code</code> for
    programs, <code>message</code> for people, and the HTTP <code>status</code>. The message of a response is often more
    precise than the one in this table. Later versions can add codes and fields: ignore a field that you do not know,
    and treat an error whose code you do not know by its status.</p>
  ${renderTable('error-codes', ['Code', 'Status', 'Message'], Object.entries(catalogue).map(renderError))}
  <p>To report a problem, name the ids of the request, which are in the response:</p>
  ${renderHeaders(contract, ['x-amzn-RequestId', 'x-amz-apigw-id'])}`

const renderError = ([code, { status, message }]: [string, { status: number; message: string }]): Html =>
  html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${message}</td></tr>`

const explainVersions = (contract: Contract): Html => html`
  <p>Every base URL ends in the version, <code>/${stageName}</code>. Long before an operation is removed, each of its
    responses has these headers:</p>
  ${renderHeaders(contract, ['Deprecation', 'Sunset'])}
  ${renderDefinitions([
    { name: 'Link', description: findDescription(contract.document.components.headers, 'Replacement') },
  ])}
  <ul id="deprecations">${contract.operations.map(renderDeprecation)}</ul>`

const renderDeprecation = ({ method, path, deprecation }: ContractOperation): Html | undefined => {
  if (deprecation === undefined) return undefined
  const { sunset, advice } = deprecation
  return html`<li><code>${method} ${path}</code> is removed on ${formatDate(sunset)}. ${advice}</li>`
}

const renderHeaders = ({ document }: Pick<Contract, 'document'>, names: readonly string[]): Html => {
  const { headers } = document.components
  return renderDefinitions(names.map((name) => ({ name, description: findDescription(headers, name) })))
}

type DescribedParts = Readonly<Record<string, { readonly description?: string }>>

/** @throws Error if the contract does not describe the part */
const findDescription = (parts: DescribedParts, name: string): string => {
  const { description } = parts[name] ?? {}
  if (description === undefined) throw new Error(`The contract lacks a description of ${name}.`)
  return description
}
