import type { Contract } from '../../contract/contract.ts'
import { rule } from '../../contract/operation-module.ts'
import { type Html, html, prose } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'
import { code, exampleKey, table } from './parts.ts'

/** The fields of each object that is sent or received. Errors have a chapter of their own. */
export const schemas = (contract: Contract): Html => {
  return html`${Object.entries(contract.document.components.schemas).map(([name, object]) => {
    const { properties, required, description } = object
    if (properties === undefined || name === 'Error') return undefined
    return html`<h3>${name}</h3><p>${prose(String(description))}</p>
      ${table(
        `schema-${name}`,
        ['Field', 'Value', 'Meaning'],
        Object.entries(properties).map(([field, schema]) => {
          const isOptional = required !== undefined && !required.includes(field)
          return html`<tr><th scope="row"><code>${field}</code></th>
            <td>${isOptional ? 'optional: ' : ''}${rule(schema, field)}</td><td>${prose(String(schema.description))}</td></tr>`
        }),
      )}`
  })}`
}

/** Integers that numbers of JavaScript do not hold. */
export const exactIntegers = (_contract: Contract, options: SiteOptions): Html => html`
  <p>A <code>categoryId</code> can be any int64. The service and this page keep all its digits. Many JSON parsers, such as
    that of JavaScript, round integers beyond 2<sup>53</sup>; the clients above do not.</p>
  ${code(html`curl -X POST "${options.baseUrl}/pets" \\
  -H "Authorization: Bearer ${exampleKey(options)}" \\
  -H "Content-Type: application/json" \\
  -d '{"name":"Bella","categoryId":9223372036854775807}'`)}`
