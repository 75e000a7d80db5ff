import { fixedPlans, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { rateLimitHeaderNames } from '../../shared/http/response/response-headers.ts'
import { type Contract, type ContractOperation, stageName } from '../contract/contract.ts'
import { renderChangelog } from './changelog.ts'
import { apiKeyPlaceholder, type ClientFile } from './client-files.ts'
import { explainClients, renderExample } from './clients-chapter.ts'
import { renderCodeTabs } from './code-tabs.ts'
import { describeValue, findDescription, renderHeaders } from './contract-text.ts'
import { explainErrors, explainReports, explainRetries } from './errors-chapters.ts'
import {
  capitalize,
  formatNumber,
  formatSeconds,
  type Html,
  html,
  type Row,
  renderCode,
  renderDefinitions,
  renderParagraphs,
  renderTable,
  renderText,
  splitParagraphs,
} from './html.ts'
import { markExampleKey, writeOperationCode } from './operation-code.ts'
import type { ClientPackage } from './packages/client-package.ts'
import type { DemoKey, SiteOptions } from './site-options.ts'

export interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: Html
}

/** Builds the guide for new callers. Its facts come from the contract and from the code of the service. */
export const buildGuide = (
  contract: Contract,
  options: SiteOptions,
  clients: readonly ClientFile[],
  packages: readonly ClientPackage[],
): readonly Chapter[] => [
  { id: 'get-a-key', title: 'Get a key', content: explainKeys(options) },
  { id: 'first-request', title: 'Make a first request', content: explainFirstRequest(contract, options) },
  { id: 'clients', title: 'Use a client', content: explainClients(options, clients, packages) },
  { id: 'paging', title: 'Page through a list', content: explainPaging(contract, options) },
  { id: 'following', title: 'Follow new animals', content: explainFollowing(contract, options) },
  { id: 'limits', title: 'Keep to your limits', content: explainLimits(contract, options) },
  { id: 'retrying', title: 'Retry', content: explainRetries(contract) },
  { id: 'creating-once', title: 'Create once', content: explainIdempotencyKeys(contract) },
  { id: 'exact-integers', title: 'Keep integers exact', content: explainIntegers() },
  { id: 'errors', title: 'Handle errors', content: explainErrors(contract) },
  { id: 'reporting', title: 'Report a problem', content: explainReports(contract, options) },
  { id: 'versions', title: 'Follow versions', content: explainVersions(contract) },
  { id: 'changes', title: 'Changes', content: renderChangelog() },
]

const explainKeys = (options: SiteOptions): Html => html`
  <p>Every request needs an API key, sent as a bearer token:</p>
  ${renderCode('header', html`Authorization: Bearer ${renderExampleKey(options)}`)}
  ${options.demoKeys === undefined ? renderContact(options.contactUrl) : renderDemoKeys(options.demoKeys)}
  <p>An API key is a secret and belongs on a server: everybody who opens a web page can read what the page sends. Let
    your server call the API for your pages, and let it pass on only the operations that they need.</p>`

/** Renders the API key in an example. The page's script replaces it with the demo key that the reader chooses. */
const renderExampleKey = ({ demoKeys }: SiteOptions): Html => {
  const demoKey = demoKeys?.[0]?.apiKey
  return demoKey === undefined ? html`$PET_API_KEY` : markExampleKey(demoKey)
}

const renderContact = (contactUrl: string | undefined): Html => {
  if (contactUrl === undefined) return html`<p>To get one, contact the operator of this API.</p>`
  return html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`
}

const renderDemoKeys = (demoKeys: readonly DemoKey[]): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the examples and the panels on this page.</p>
  ${renderTable('demo-keys', ['Plan', 'Demo key', 'On this page'], demoKeys.map(renderDemoKey))}
  <p id="key-in-use" class="good"></p>`

const renderDemoKey = ({ plan, apiKey }: DemoKey): Row => ({
  cells: [
    capitalize(plan),
    html`<code>${apiKey}</code>`,
    html`<button type="button" class="use-key" data-plan="${plan}" data-api-key="${apiKey}"
          disabled>Use<span class="unseen"> the demo key of the ${plan} plan</span></button>`,
  ],
})

const explainFirstRequest = (contract: Contract, options: SiteOptions): Html => {
  const listPets = findOperation(contract, 'listPets')
  return html`
  <p>List the newest animals from a terminal, from a program, or in a <a href="#listPets">panel</a> below:</p>
  ${renderKeyVariable(options)}
  ${renderCodeTabs('a first request', writeOperationCode(listPets, options, { limit: '3' }))}`
}

/** Says how code gets the API key, except where it has a demo key. */
const renderKeyVariable = ({ demoKeys }: SiteOptions): Html | undefined => {
  if (demoKeys !== undefined) return undefined
  return html`<p>The code on this page reads your API key from the variable <code>PET_API_KEY</code> of the
    environment:</p>
  ${renderCode('command', `export PET_API_KEY='${apiKeyPlaceholder}'`)}`
}

/** @throws Error if the contract lacks the operation */
const findOperation = ({ operations }: Contract, operationId: string): ContractOperation => {
  const operation = operations.find((candidate) => candidate.operationId === operationId)
  if (operation === undefined) throw new Error(`The contract must have the operation ${operationId}.`)
  return operation
}

const explainPaging = (contract: Contract, { baseUrl }: SiteOptions): Html => {
  const { paging } = findListParagraphs(contract)
  return html`
  <p>${renderText(paging)}</p>
  ${renderLimit(contract)}
  ${renderCode('header', `Link: <${baseUrl}/pets?limit=20&cursor=...>; rel="next"`)}`
}

/** Describes the parameter that sets the length of a page. */
const renderLimit = ({ document }: Contract): Html => {
  const { Limit } = document.components.parameters
  if (Limit === undefined) throw new Error('The contract lacks the parameter Limit.')
  return html`<p><code>${Limit.name}</code>: ${describeValue(Limit.schema)}.</p>`
}

const explainFollowing = (contract: Contract, options: SiteOptions): Html => {
  const { lag } = findListParagraphs(contract)
  return html`
  <p>${renderText(lag)}</p>
  <p>Poll the list in three steps:</p>
  <ol>
    <li>Read newest to oldest, page by page, without <code>status</code>.</li>
    <li>An animal that you have not seen before is new. Remember when you first saw it.</li>
    <li>Stop at an animal that you first saw more than a minute before your previous poll began.</li>
  </ol>
  <p>The first two polls read the whole list. Later polls usually read one page. The clients do all of this:</p>
  ${renderCodeTabs('following', {
    TypeScript: renderExample('TypeScript', 'follow-new-animals.ts', options),
    Python: renderExample('Python', 'follow_new_animals.py', options),
  })}`
}

/** Finds the two paragraphs in the contract's description of the list that explain its paging and its lag. */
const findListParagraphs = (contract: Contract): { readonly paging: string; readonly lag: string } => {
  const { description } = findOperation(contract, 'listPets')
  const [paging, lag] = splitParagraphs(description)
  if (paging === undefined || lag === undefined) {
    throw new Error('The contract must describe listPets in two paragraphs or more.')
  }
  return { paging, lag }
}

const explainLimits = (contract: Contract, { banPolicy }: SiteOptions): Html => html`
  <p>Each key has two limits: one for each minute, and one for each UTC day. Its plan sets both.</p>
  ${renderTable('plans', ['Plan', 'Requests a minute', 'Requests a day'], planNames.map(renderPlan))}
  <p>The headers of each response say how many requests remain:</p>
  ${renderHeaders(contract, rateLimitHeaderNames)}
  <h3 id="bans"><a href="#bans">Bans</a></h3>
  <p>A request over a limit gets <a href="#error-rate_limit_exceeded">429</a>. After
    ${formatNumber(banPolicy.refusalsBeforeBan)} such refusals the key is
    <a href="#error-api_key_banned">banned</a> for ${formatSeconds(banPolicy.firstBanSeconds)}. The count of refusals
    starts again with the first request that is accepted in a new minute or day.</p>
  <p>Each further ban on the same UTC day lasts twice as long, up to
    ${formatSeconds(banPolicy.longestBanSeconds)}.</p>`

const renderPlan = (plan: Plan): Row => {
  const { perMinute, perDay } = formatLimits(plan)
  return { cells: [capitalize(plan), perMinute, perDay] }
}

const formatLimits = (plan: Plan): { readonly perMinute: string; readonly perDay: string } => {
  if (plan === 'enterprise') return { perMinute: 'set for each key', perDay: 'set for each key' }
  const { perMinute, perDay } = fixedPlans[plan]
  return {
    perMinute: formatNumber(perMinute),
    perDay: formatNumber(perDay),
  }
}

const explainIdempotencyKeys = (contract: Contract): Html => html`
  <p>If the response to a <code>POST</code> is lost, you cannot know whether the animal was added. With the header
    <code>Idempotency-Key</code> you can retry safely. Its value:</p>
  ${renderParagraphs(findDescription(contract.document.components.parameters, 'IdempotencyKey'))}
  <p>The code for <a href="#createPet">createPet</a> sends one. The response says whether it repeats an earlier one:</p>
  ${renderHeaders(contract, ['Idempotency-Replayed'])}`

const explainIntegers = (): Html => html`
  <p>A <code>categoryId</code> can be any int64. The service and this page keep all its digits. Many JSON parsers, such
    as that of JavaScript, round integers beyond 2<sup>53</sup>. The <a href="#clients">clients</a> do not round.</p>`

const explainVersions = (contract: Contract): Html => html`
  <p>Every base URL ends in the version, <code>/${stageName}</code>. Long before an operation is removed, each of its
    responses has these headers:</p>
  ${renderHeaders(contract, ['Deprecation', 'Sunset'])}
  ${renderDefinitions([
    { name: 'Link', description: findDescription(contract.document.components.headers, 'Replacement') },
  ])}
  <p>Deprecated operations:</p>
  <ul id="deprecations">${contract.operations.map(renderDeprecation)}</ul>`

const renderDeprecation = ({ operationId, method, path, deprecation }: ContractOperation): Html | undefined => {
  if (deprecation === undefined) return undefined
  return html`<li><a href="#${operationId}">${method} ${path}</a></li>`
}
