import { fixedPlans, planNames } from '../../shared/api-keys/plans.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { rateLimitHeaderNames } from '../../shared/http/response-headers.ts'
import { type Contract, stageName } from '../contract/contract.ts'
import {
  capitalize,
  formatDate,
  type Html,
  html,
  renderCode,
  renderDefinitions,
  renderTable,
  renderText,
} from './html.ts'
import type { SiteOptions } from './site-options.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** The guide for new callers. Its facts come from the contract and from the code of the service. */
export const buildGuide = (contract: Contract, options: SiteOptions): readonly Chapter[] => [
  { id: 'get-a-key', title: 'Get a key', content: gettingKey(options) },
  { id: 'first-request', title: 'Make a first request', content: firstRequest(options) },
  { id: 'paging', title: 'Page through a list', content: paging(contract, options) },
  { id: 'limits', title: 'Keep to your limits', content: limits(contract) },
  { id: 'retrying', title: 'Retry', content: retrying(contract) },
  { id: 'creating-once', title: 'Create once', content: creatingOnce(contract, options) },
  { id: 'exact-integers', title: 'Keep integers exact', content: exactIntegers },
  { id: 'errors', title: 'Handle errors', content: errors(contract) },
  { id: 'versions', title: 'Follow versions', content: versions(contract) },
]

const gettingKey = (options: SiteOptions): Html => html`
  <p>Every request needs an API key, sent as a bearer token:</p>
  ${renderCode(html`Authorization: Bearer ${exampleKey(options)}`)}
  ${options.demoKeys === undefined ? whereToAsk(options.contactUrl) : demonstrationKeys(options.demoKeys)}
  <p>A key is a secret and belongs on a server: everybody who opens a web page can read what the page sends. Let your server
    call the API for your pages, and pass on only the operations that they need.</p>`

const whereToAsk = (contactUrl: string | undefined): Html =>
  contactUrl === undefined
    ? html`<p>To get one, contact the operator of this API.</p>`
    : html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`

const demonstrationKeys = (keys: NonNullable<SiteOptions['demoKeys']>): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the examples and the panels on this page.</p>
  ${renderTable(
    'demo-keys',
    ['Plan', 'Demo key', 'On this page'],
    keys.map(
      ({ plan, apiKey }) => html`<tr>
        <th scope="row">${capitalize(plan)}</th>
        <td><code>${apiKey}</code></td>
        <td><button type="button" class="use-key" data-plan="${plan}" data-api-key="${apiKey}"
          aria-label="Use the demo key of the ${plan} plan" disabled>Use</button></td>
      </tr>`,
    ),
  )}
  <p id="key-in-use" class="good" role="status"></p>`

/** The API key in an example. The page's script replaces it with the demo key that the reader chooses. */
const exampleKey = ({ demoKeys }: SiteOptions): Html =>
  html`<span class="example-key">${demoKeys?.[0]?.apiKey ?? '<API_KEY>'}</span>`

const firstRequest = (options: SiteOptions): Html => html`
  <p>List the newest animals from a terminal, or in a <a href="#listPets">panel</a> below:</p>
  ${renderCode(html`curl -i "${options.baseUrl}/pets?limit=3" \\
  -H "Authorization: Bearer ${exampleKey(options)}"`)}`

const paging = ({ operations }: Contract, { baseUrl }: SiteOptions): Html => html`
  <p>${renderText(operations.find(({ operationId }) => operationId === 'listPets')?.description ?? '')}</p>
  ${renderCode(`Link: <${baseUrl}/pets?limit=20&cursor=...>; rel="next"`)}`

const limits = (contract: Contract): Html => html`
  <p>Each key has two limits, one for each minute and one for each UTC day. Its plan sets both.</p>
  ${renderTable(
    'plans',
    ['Plan', 'Requests a minute', 'Requests a day'],
    planNames.map((plan) => {
      const { perMinute, perDay } = plan === 'enterprise' ? individual : fixedPlans[plan]
      return html`<tr><th scope="row">${capitalize(plan)}</th>
        <td>${perMinute.toLocaleString('en-GB')}</td><td>${perDay.toLocaleString('en-GB')}</td></tr>`
    }),
  )}
  <p>The headers of each response say how many requests remain:</p>
  ${headers(contract, rateLimitHeaderNames)}`

const individual = { perMinute: 'set for each key', perDay: 'set for each key' }

const headers = ({ document }: Contract, names: readonly string[]): Html =>
  renderDefinitions(names.map((name) => [name, describe(document.components.headers, name)]))

const retrying = (contract: Contract): Html => html`
  <p>Retry after a response with the status 409, 429, 500, 503 or 504, and when no response came. After any other error change
    the request first. Wait as long as this header says:</p>
  ${headers(contract, ['Retry-After'])}
  <p>Where a response has none, wait for a random time: up to half a second before the first retry, and up to twice as long
    before each further one. Retry a <code>POST</code> only with an <code>Idempotency-Key</code>. A key that keeps sending
    requests after a 429 is banned for a time. The clients above do all of this.</p>`

const creatingOnce = ({ document }: Contract, options: SiteOptions): Html => html`
  <p>When the response to a <code>POST</code> is lost, you cannot know whether the animal was added. With the header
    <code>Idempotency-Key</code> you can retry safely.
    ${renderText(describe(document.components.parameters, 'IdempotencyKey'))}</p>
  ${renderCode(html`curl -i -X POST "${options.baseUrl}/pets" \\
  -H "Authorization: Bearer ${exampleKey(options)}" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11" \\
  -d '{"name":"Bella","categoryId":1}'`)}
  ${renderDefinitions([['Idempotency-Replayed', describe(document.components.headers, 'Idempotency-Replayed')]])}`

const exactIntegers = html`
  <p>A <code>categoryId</code> can be any int64. The service and this page keep all its digits. Many JSON parsers, such as
    that of JavaScript, round integers beyond 2<sup>53</sup>; the clients above do not.</p>`

const errors = ({ document }: Contract): Html => html`
  <p>${renderText(describe(document.components.schemas, 'Error'))} It has three fields: <code>code</code> for programs,
    <code>message</code> for people, and the HTTP <code>status</code>. Its message is often more precise than the one here.</p>
  ${renderTable(
    'error-codes',
    ['Code', 'Status', 'Message'],
    Object.entries(catalogue).map(
      ([errorCode, { status, message }]) =>
        html`<tr><th scope="row"><code>${errorCode}</code></th><td>${status}</td><td>${message}</td></tr>`,
    ),
  )}`

const versions = (contract: Contract): Html => html`
  <p>Every base URL ends in the version, <code>/${stageName}</code>. Long before an operation is removed, each of its
    responses has these headers:</p>
  ${headers(contract, ['Deprecation', 'Sunset'])}
  ${renderDefinitions([['Link', describe(contract.document.components.headers, 'Replacement')]])}
  <ul id="deprecations">${contract.operations.map(
    ({ method, path, deprecation }) =>
      deprecation &&
      html`<li><code>${method} ${path}</code> is removed on ${formatDate(deprecation.sunset)}. ${deprecation.advice}</li>`,
  )}</ul>`

/** @throws Error when the contract has no description of it */
const describe = (parts: Readonly<Record<string, { readonly description?: string }>>, name: string): string => {
  const { description } = parts[name] ?? {}
  if (description === undefined) throw new Error(`The contract lacks a description of ${name}.`)
  return description
}
