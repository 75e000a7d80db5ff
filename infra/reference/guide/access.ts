import type { Contract } from '../../contract/contract.ts'
import { type Html, html } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'
import { securityScheme } from './contract-text.ts'
import { capitalized, code, table } from './parts.ts'

/** How to get a key. */
export const gettingKey = (contract: Contract, { contactUrl, demoKeys = [] }: SiteOptions): Html => html`
  <p>Every request needs an API key, sent as a bearer token:</p>
  ${code('Authorization: Bearer <API_KEY>')}
  ${demoKeys.length > 0 ? demonstrationKeys(contract, demoKeys) : whereToAsk(contactUrl)}
  <p>A key is a secret. This page keeps yours only in memory, until you reload or leave.</p>`

const whereToAsk = (contactUrl: string | undefined): Html =>
  contactUrl === undefined
    ? html`<p>To get one, contact the operator of this API.</p>`
    : html`<p><a href="${contactUrl}">Request one here</a>. It is shown only once.</p>`

const demonstrationKeys = (contract: Contract, keys: NonNullable<SiteOptions['demoKeys']>): Html => html`
  <p>On this machine each plan has a demo key. Choose one for the live panels below.</p>
  ${table(
    'demo-keys',
    'Demo keys',
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
export const firstRequest = (_contract: Contract, { baseUrl, demoKeys = [] }: SiteOptions): Html => {
  const apiKey = demoKeys[0]?.apiKey ?? '<API_KEY>'
  return html`
    <p>List the newest animals from a terminal, or in a live <a href="#explorer-title">panel</a> below:</p>
    ${code(`curl -i -H "Authorization: Bearer ${apiKey}" \\\n  "${baseUrl}/pets?limit=3"`)}
    <p>Integers of the format <code>int64</code> are exact in requests, in responses and on this page. Many JSON parsers
      round those beyond 2<sup>53</sup>.</p>`
}
