import type { Contract } from '../../contract/contract.ts'
import { type Html, html } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'
import { securityScheme } from './contract-text.ts'
import { capitalized, code, exampleKey, table } from './parts.ts'

/** How to get a key. */
export const gettingKey = (contract: Contract, options: SiteOptions): Html => {
  const { contactUrl, demoKeys } = options
  return html`
  <p>Every request needs an API key, sent as a bearer token:</p>
  ${code(html`Authorization: Bearer ${exampleKey(options)}`)}
  ${demoKeys === undefined ? whereToAsk(contactUrl) : demonstrationKeys(contract, demoKeys)}
  <p>A key is a secret. This page keeps yours only in memory, until you reload or leave.</p>`
}

const whereToAsk = (contactUrl: string | undefined): Html =>
  contactUrl === undefined
    ? html`<p>To get one, contact the operator of this API.</p>`
    : html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`

const demonstrationKeys = (contract: Contract, keys: NonNullable<SiteOptions['demoKeys']>): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the examples and the live panels on this page.</p>
  ${table(
    'demo-keys',
    ['Plan', 'Demo key', 'On this page'],
    keys.map(
      ({ plan, apiKey }) => html`<tr>
        <th scope="row">${capitalized(plan)}</th>
        <td><code>${apiKey}</code></td>
        <td><button type="button" class="use-key" data-plan="${plan}" data-scheme="${securityScheme(contract)}"
          data-api-key="${apiKey}" aria-label="Use the demo key of the ${plan} plan" disabled>Use</button></td>
      </tr>`,
    ),
  )}
  <p id="key-in-use" role="status"></p>`

/** A request to paste into a terminal. */
export const firstRequest = (_contract: Contract, options: SiteOptions): Html => html`
  <p>List the newest animals from a terminal, or in a <a href="#/pets/listPets">live panel</a> below:</p>
  ${code(html`curl -i "${options.baseUrl}/pets?limit=3" \\
  -H "Authorization: Bearer ${exampleKey(options)}"`)}`
