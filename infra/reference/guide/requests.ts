import { fixedPlans, planNames } from '../../../shared/api-keys/plans.ts'
import { rateLimitHeaders } from '../../../shared/http/response-headers.ts'
import type { Contract } from '../../contract/contract.ts'
import { type Html, html, prose } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'
import { descriptionOf } from './contract-text.ts'
import { capitalized, code, definitions, exampleKey, grouped, table } from './parts.ts'

export const paging = (contract: Contract, { baseUrl }: SiteOptions): Html => html`
  <p>${prose(descriptionOf(contract, 'paths/~1pets/get'))}</p>
  ${code(`Link: <${baseUrl}/pets?limit=20&cursor=...>; rel="next"`)}`

export const limits = (contract: Contract): Html => html`
  <p>Each key has two limits, one for each minute and one for each UTC day. Its plan sets both.</p>
  ${table(
    'plans',
    ['Plan', 'Requests a minute', 'Requests a day'],
    planNames.map((plan) => {
      const [perMinute, perDay] = plan === 'enterprise' ? ['set for each key', 'set for each key'] : limitsOf(plan)
      return html`<tr><th scope="row">${capitalized(plan)}</th><td>${perMinute}</td><td>${perDay}</td></tr>`
    }),
  )}
  <p>The headers of each response say how many requests remain:</p>
  ${headers(contract, Object.keys(rateLimitHeaders))}`

const limitsOf = (plan: keyof typeof fixedPlans): readonly [string, string] => [
  grouped(fixedPlans[plan].perMinute),
  grouped(fixedPlans[plan].perDay),
]

const headers = (contract: Contract, names: readonly string[]): Html =>
  definitions(names.map((name) => [name, descriptionOf(contract, `components/headers/${name}`)]))

export const retrying = (contract: Contract): Html => html`
  <p>You can retry after a response with the status 409, 429 or 503. A header says when:</p>
  ${headers(contract, ['Retry-After'])}
  <p>Wait for that time, and longer before each further retry. A key that keeps sending requests after a 429 is banned
    for a time.</p>
  <p>After 500 or 504 retry with increasing delays. After any other error change the request first.</p>`

export const creatingOnce = (contract: Contract, options: SiteOptions): Html => html`
  <p>When the response to a <code>POST</code> is lost, you cannot know whether the animal was added. With the header
    <code>Idempotency-Key</code> you can retry safely:
    ${prose(lowerFirst(descriptionOf(contract, 'components/parameters/IdempotencyKey')))}</p>
  ${code(html`curl -i -X POST "${options.baseUrl}/pets" \\
  -H "Authorization: Bearer ${exampleKey(options)}" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11" \\
  -d '{"name":"Bella","categoryId":1}'`)}
  ${definitions([['Idempotency-Replayed', descriptionOf(contract, 'components/headers/Idempotency-Replayed')]])}`

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
