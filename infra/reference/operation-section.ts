import type { ContractOperation } from '../contract/contract.ts'
import {
  type ContractContent,
  type ContractParameter,
  type ContractResponse,
  describeConstraint,
  type JsonSchema,
} from '../contract/openapi.ts'
import { formatDate, type Html, html, renderCode, renderDefinitions, renderTable, renderText } from './html.ts'

/** An operation: what it does, its panel, and what is sent and received. */
export const renderOperation = (operation: ContractOperation): Html => {
  const { operationId, method, path, summary, description, deprecation, body, responses } = operation
  return html`
      <section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
        <h3 id="${operationId}-title"><span class="method">${method}</span> <code>${path}</code> <span>${summary}</span></h3>
        ${
          deprecation &&
          html`<p class="mark">Deprecated: it works until ${formatDate(deprecation.sunset)}. ${deprecation.advice}</p>`
        }
        <p>${renderText(description)}</p>
        ${panel(operation)}
        <h4>Documentation</h4>
        ${body && html`<details><summary>Request body</summary>${fields(`${operationId}-body`, body.schema)}</details>`}
        ${Object.entries(responses).map(([status, response]) => documentedResponse(operationId, status, response))}
      </section>`
}

/** The script of the page turns a panel on, unless it says why it stays off. */
const panel = (operation: ContractOperation): Html => {
  const { operationId, method, path, parameters, body, hasPanel, isReserved, description } = operation
  const isOff = !hasPanel || isReserved
  return html`
        <form class="panel" novalidate data-method="${method}" data-path="${path}"${isOff ? '' : html` data-operation="${operationId}"`}>
          <fieldset data-part="fields" disabled>
            <legend>Try ${operationId}</legend>
            ${isOff ? html`<p class="mark">This panel is off. ${renderText(description)}</p>` : undefined}
            ${parameters.map((parameter) => parameterField(operationId, parameter))}
            ${body && bodyField(operationId, body)}
            <button type="submit" data-part="send">Send</button>
          </fieldset>
          <output data-part="status"></output>
          <div class="result" data-part="result" hidden>
            <p class="retry" data-part="retry" role="timer"></p>
            <div data-part="received">
              <h4>Body</h4><pre class="code" data-part="body" tabindex="0"></pre>
              <h4>Headers</h4><pre class="code" data-part="headers" tabindex="0"></pre>
            </div>
            <h4>The same request by curl</h4><div class="copied"><pre class="code" data-part="curl" tabindex="0"></pre></div>
          </div>
        </form>`
}

const field = (id: string, label: Html, control: Html, hint: Html): Html => html`
            <div class="field">
              <label for="${id}">${label}</label>
              ${control}
              <p class="hint" id="${id}-hint">${hint}</p>
              <p class="problem" id="${id}-problem"></p>
            </div>`

const parameterField = (operationId: string, parameter: ContractParameter): Html => {
  const { name, in: where, required = false, description = '', schema, example } = parameter
  const id = `${operationId}-${name}`
  const place = `/${where === 'header' ? 'headers' : where}/${name}`
  const rule = describeConstraint(schema) ?? 'valid'
  const said = html`id="${id}" name="${name}" data-place="${place}"
                aria-describedby="${id}-problem ${id}-hint"${required ? html` required` : ''}`
  const control =
    schema.enum === undefined
      ? html`<input ${said}${schema.type === 'integer' ? html` inputmode="numeric"` : ''} autocomplete="off" spellcheck="false">`
      : html`<select ${said}><option value="">any</option>${schema.enum.map((value) => html`<option>${value}</option>`)}</select>`
  const label = html`<code>${name}</code> ${where}, ${required ? 'required' : 'optional'}: ${rule}`
  const shown = example === undefined ? '' : html` Example: <code>${String(example)}</code>`
  return field(id, label, control, html`${renderText(description)}${shown}`)
}

const bodyField = (operationId: string, { schema, examples, description }: NonNullable<ContractOperation['body']>) => {
  const id = `${operationId}-body-text`
  const [example] = Object.values(examples ?? {})
  const control = html`<textarea id="${id}" name="body" data-place="/body" rows="6" spellcheck="false"
                autocomplete="off" required aria-describedby="${id}-problem ${id}-hint">
${JSON.stringify(example?.value ?? {}, null, 2)}</textarea>`
  return field(id, html`Request body, required`, control, renderText(description ?? schema.description ?? ''))
}

const documentedResponse = (
  operationId: string,
  status: string,
  { description, headers, content }: ContractResponse,
) => {
  const { schema, examples } = content['application/json']
  const own = Object.entries(headers ?? {}).filter(([name]) => !common.test(name))
  const isSuccess = status.startsWith('2')
  return html`
        <details data-status="${status}"><summary><b>${status}</b> ${renderText(description)}</summary>
          ${own.length === 0 ? undefined : renderDefinitions(own.map(([name, header]) => [name, header.description ?? '']))}
          ${isSuccess ? fields(`${operationId}-${status}`, schema) : undefined}
          ${exampleList(examples)}
        </details>`
}

/** The headers that every response has, or every successful one. The guide describes them. */
const common = /^(X-RateLimit-|RateLimit|Access-Control-)/

const exampleList = (examples: ContractContent['examples'] = {}): Html =>
  html`${Object.values(examples).map(
    ({ summary, value }) =>
      html`${summary === undefined ? '' : html`<p>${summary}:</p>`}${renderCode(JSON.stringify(value, null, 2))}`,
  )}`

/** The fields of an object, or of the objects of a list. */
const fields = (id: string, schema: JsonSchema): Html => {
  const { properties = {}, required = [] } = schema.items ?? schema
  return html`<p>${renderText(schema.description ?? '')}</p>${renderTable(
    `${id}-fields`,
    ['Field', 'Value', 'Meaning'],
    Object.entries(properties).map(
      ([name, property]) => html`<tr><th scope="row"><code>${name}</code></th>
            <td>${required.includes(name) ? '' : 'optional: '}${describeConstraint(property) ?? property.type}</td>
            <td>${renderText(property.description ?? '')}</td></tr>`,
    ),
  )}`
}
