import { readFileSync } from 'node:fs'
import { fixedPlans, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { rateLimitHeaderNames } from '../../shared/http/response/response-headers.ts'
import { formatNumber } from '../command-line/report.ts'
import { type Contract, type ContractOperation, stageName } from '../contract/contract.ts'
import type { ClientPackage } from './client-packages.ts'
import { markExampleKey, renderCodeChoice, renderExamples, renderInstallations, writeOperationCode } from './code.ts'
import {
  capitalize,
  formatDate,
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
import { type Chapter, createId, type Placeholders, renderChapters } from './markdown.ts'
import { describeValue, findCommonResponses, renderCommonResponses } from './operation-section.ts'
import type { DemoKey, SiteOptions } from './site-options.ts'

/** Statuses after which the unchanged request can succeed. The clients retry after the same statuses. */
const retriedStatuses: readonly number[] = [429, 500, 502, 503, 504]

const readText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Builds the guide for callers: the text of `guide.md`, filled with what the contract and the environment say. */
export const buildGuide = (
  contract: Contract,
  options: SiteOptions,
  packages: readonly ClientPackage[],
): readonly Chapter[] => {
  const { components } = contract.document
  const { listPets, paging, listLag } = findListPets(contract)
  const { banPolicy, baseUrl, contactUrl, demoKeys = [] } = options
  // The examples and panels of the page use this key, until its reader chooses another.
  const [demoKey] = demoKeys
  const placeholders: Placeholders = {
    'base-url': html`${baseUrl}`,
    stage: html`${stageName}`,
    contact: contactUrl === undefined ? html`the operator of this API` : html`<a href="${contactUrl}">the operator</a>`,
    key: demoKey === undefined ? html`$PET_API_KEY` : markExampleKey(demoKey.apiKey),
    'how-to-get-a-key': demoKey === undefined ? renderContact(contactUrl) : renderDemoKeys(demoKeys, demoKey.plan),
    'key-variable': demoKey === undefined ? keyVariableText : undefined,
    'first-request': renderCodeChoice('a first request', writeOperationCode(listPets, options, { limit: '3' })),
    installations: renderInstallations(packages),
    'client-example': renderExamples('a client', { TypeScript: 'example.ts', Python: 'example.py' }, options),
    contract: html`<a href="/openapi.json">openapi.json</a>`,
    paging: html`<p>${renderText(paging)}</p>${renderLimit(contract)}`,
    lag: html`<p>${renderText(listLag)}</p>`,
    'following-example': renderExamples(
      'following',
      { TypeScript: 'follow-new-pets.ts', Python: 'follow_new_pets.py' },
      options,
    ),
    plans: renderTable(undefined, ['Plan', 'Limits'], planNames.map(renderPlan)),
    'limit-headers': renderHeaders(contract, rateLimitHeaderNames),
    'refusals-before-ban': html`${formatNumber(banPolicy.refusalsBeforeBan)}`,
    'first-ban': html`${formatSeconds(banPolicy.firstBanSeconds)}`,
    'longest-ban': html`${formatSeconds(banPolicy.longestBanSeconds)}`,
    'retry-after': renderHeaders(contract, ['Retry-After']),
    'idempotency-key': renderParagraphs(findDescription(components.parameters, 'IdempotencyKey')),
    'idempotency-replayed': renderHeaders(contract, ['Idempotency-Replayed']),
    errors: renderErrors(contract),
    'common-responses': renderCommonResponses(findCommonResponses(contract)),
    'request-ids': renderHeaders(contract, ['x-amz-apigw-id', 'x-amzn-RequestId']),
    // The contract describes two headers `Link`: `NextPage` for lists, and `Replacement` for deprecated operations.
    'deprecation-headers': html`${renderHeaders(contract, ['Deprecation', 'Sunset'])}
      ${renderDefinitions([{ name: 'Link', description: findDescription(components.headers, 'Replacement') }])}`,
    'deprecated-operations': html`<ul id="deprecations">${contract.operations.map(renderDeprecation)}</ul>`,
    changes: renderChanges(),
  }
  return renderChapters(readText('guide.md'), placeholders)
}

/**
 * Finds the operation listPets, and the first two paragraphs of its description: pages, and the lag of lists. The guide
 * itself has more to say of the third one, following new pets.
 *
 * @throws Error if the contract lacks one of them
 */
const findListPets = ({ operations }: Contract) => {
  const listPets = operations.find(({ operationId }) => operationId === 'listPets')
  const [paging, listLag] = listPets === undefined ? [] : splitParagraphs(listPets.description)
  if (listPets === undefined || paging === undefined || listLag === undefined) {
    throw new Error('The contract must describe listPets: its pages in a paragraph, and the lag of lists in the next.')
  }
  return { listPets, paging, listLag }
}

/** Text that tells a reader to set the variable with the API key, in an environment without demo keys. */
const keyVariableText = html`<p>The code on this page reads your API key from the variable <code>PET_API_KEY</code> of the
  environment:</p>
  ${renderCode('command', "export PET_API_KEY='<API_KEY>'")}`

const renderContact = (contactUrl: string | undefined): Html => {
  if (contactUrl === undefined) return html`<p>To get one, contact the operator of this API.</p>`
  return html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`
}

const renderDemoKeys = (demoKeys: readonly DemoKey[], planInUse: Plan): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the examples and the panels on this page.</p>
  ${renderTable('demo-keys', ['Plan', 'Demo key', 'On this page'], demoKeys.map(renderDemoKey))}
  <p id="key-in-use" class="good">This page uses the demo key of the plan ${capitalize(planInUse)}.</p>`

const renderDemoKey = ({ plan, apiKey }: DemoKey): Row => {
  const name = capitalize(plan)
  const button = html`<button type="button" class="use-key" data-plan="${name}" data-api-key="${apiKey}"
      disabled>Use<span class="unseen"> the demo key of the plan ${name}</span></button>`
  return { cells: [name, html`<code>${apiKey}</code>`, button] }
}

type DescribedParts = Readonly<Record<string, { readonly description?: string }>>

/** @throws Error if the contract does not describe the part */
const findDescription = (parts: DescribedParts, name: string): string => {
  const { description } = parts[name] ?? {}
  if (description === undefined) throw new Error(`The contract lacks a description of ${name}.`)
  return description
}

/** Renders the contract's descriptions of headers. */
const renderHeaders = ({ document }: Contract, names: readonly string[]): Html => {
  const { headers } = document.components
  return renderDefinitions(names.map((name) => ({ name, description: findDescription(headers, name) })))
}

/** Describes the parameter that sets the length of a page. */
const renderLimit = ({ document }: Contract): Html => {
  const { Limit } = document.components.parameters
  if (Limit === undefined) throw new Error('The contract lacks the parameter Limit.')
  return html`<p><code>${Limit.name}</code>: ${describeValue(Limit.schema)}.</p>`
}

const renderPlan = (plan: Plan): Row => {
  if (plan === 'enterprise') return { cells: [capitalize(plan), 'set for each key'] }
  const { perMinute, perDay } = fixedPlans[plan]
  const limits = `${formatNumber(perMinute)} requests a minute, ${formatNumber(perDay)} a day`
  return { cells: [capitalize(plan), limits] }
}

const renderErrors = (contract: Contract): Html => {
  const codes = Object.keys(catalogue) as readonly (keyof typeof catalogue)[]
  const rows = codes.map((code): Row => {
    const { status, message } = catalogue[code]
    const link = html`<a href="#error-${code}"><code>${code}</code></a>`
    return { id: `error-${code}`, cells: [link, status, judgeRetry(contract, status), message] }
  })
  return renderTable('error-codes', ['Code', 'Status', 'Retry?', 'Message'], rows)
}

/**
 * Describes whether a retry of the unchanged request can succeed, and when. Any retried status can be the response to a
 * request that names no operation, so the contract's list of these responses says which status has `Retry-After`.
 */
const judgeRetry = ({ unroutedResponses }: Contract, status: number): string => {
  if (!retriedStatuses.includes(status)) return 'no'
  const { headers = {} } = unroutedResponses[status] ?? {}
  return 'Retry-After' in headers ? 'yes, after Retry-After' : 'yes, after a random time'
}

const renderDeprecation = ({ operationId, method, path, deprecation }: ContractOperation): Html | undefined => {
  if (deprecation === undefined) return undefined
  return html`<li><a href="#${operationId}">${method} ${path}</a>, until ${formatDate(deprecation.sunset)}</li>`
}

/** Renders the versions of the changelog: its headings of the second level with what stands below them. */
const renderChanges = (): Html => {
  const versions = renderChapters(readText('../../.github/CHANGELOG.md'), {})
  return html`${versions.map(({ title, content }) => {
    const id = `changes-${createId(title)}`
    return html`<h3 id="${id}"><a href="#${id}">${title}</a></h3>${content}`
  })}`
}
