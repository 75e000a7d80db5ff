import type { ContractOperation } from '../contract/contract.ts'
import {
  type ContractContent,
  type ContractParameter,
  type ContractResponse,
  describeConstraint,
  type JsonSchema,
} from '../contract/openapi.ts'
import {
  formatDate,
  type Html,
  html,
  renderCode,
  renderDefinitions,
  renderParagraphs,
  renderTable,
  renderText,
} from './html.ts'

type RequestBody = NonNullable<ContractOperation['body']>

/** Headers of every response. The guide describes them once for all operations. */
const commonHeaderPattern = /^(X-RateLimit-|RateLimit|Access-Control-|x-amz)/

/** Renders the section of an operation: description, panel, request body and responses. */
export const renderOperation = (operation: ContractOperation): Html => {
  const { operationId, method, path, summary, description, body, responses } = operation
  return html`
      <section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
        <h3 id="${operationId}-title">
          <span class="method">${method}</span> <code>${path}</code> <span>${summary}</span>
        </h3>
        ${renderDeprecation(operation)}
        ${renderParagraphs(description)}
        ${renderPanel(operation)}
        <h4>Documentation</h4>
        ${body && renderBodyDocumentation(operationId, body)}
        ${Object.entries(responses).map(([status, response]) => renderResponse(operationId, status, response))}
      </section>`
}

const renderDeprecation = ({ deprecation }: ContractOperation): Html | undefined => {
  if (deprecation === undefined) return undefined
  const { sunset, advice } = deprecation
  return html`<p class="mark">Deprecated: it works until ${formatDate(sunset)}. ${advice}</p>`
}

const renderBodyDocumentation = (operationId: string, { schema }: RequestBody): Html =>
  html`<details><summary>Request body</summary>${renderFields(`${operationId}-body`, schema)}</details>`

/**
 * Renders the panel of an operation, disabled. The page's script enables panels that have `data-operation`. The others
 * stay disabled and say why.
 */
const renderPanel = (operation: ContractOperation): Html => {
  const { operationId, method, path, parameters, body, hasPanel, isReserved, description } = operation
  const isEnabled = hasPanel && !isReserved
  const operationAttribute = isEnabled ? html` data-operation="${operationId}"` : undefined
  const notice = isEnabled ? undefined : html`<p class="mark">This panel is off. ${renderText(description)}</p>`
  return html`
        <form class="panel" novalidate data-method="${method}" data-path="${path}"${operationAttribute}>
          <fieldset data-part="fields" disabled>
            <legend>Try ${operationId}</legend>
            ${notice}
            ${parameters.map((parameter) => renderParameterField(operationId, parameter))}
            ${body && renderBodyField(operationId, body)}
            <button type="submit" data-part="send">Send</button>
          </fieldset>
          <output data-part="status"></output>
          <div class="result" data-part="result" hidden>
            <p class="retry" data-part="retry" role="timer"></p>
            <div data-part="received">
              <h4>Body</h4><pre class="code" data-part="body" tabindex="0"></pre>
              <h4>Headers</h4><pre class="code" data-part="headers" tabindex="0"></pre>
            </div>
            <h4>The same request by curl</h4>
            <div class="copyable"><pre class="code" data-part="curl" tabindex="0"></pre></div>
          </div>
        </form>`
}

interface Field {
  readonly id: string
  readonly label: Html
  readonly control: Html
  readonly hint: Html
}

/** Renders a labelled control. If its value is wrong, the page's script writes why into the element `ID-problem`. */
const renderField = ({ id, label, control, hint }: Field): Html => html`
            <div class="field">
              <label for="${id}">${label}</label>
              ${control}
              <p class="hint" id="${id}-hint">${hint}</p>
              <p class="problem" id="${id}-problem"></p>
            </div>`

const renderParameterField = (operationId: string, parameter: ContractParameter): Html => {
  const { name, in: location, required = false, description = '', schema, example } = parameter
  const exampleHint = example === undefined ? undefined : html` Example: <code>${String(example)}</code>`
  return renderField({
    id: `${operationId}-${name}`,
    label: html`<code>${name}</code> ${location}, ${required ? 'required' : 'optional'}: ${describeConstraint(schema)}`,
    control: renderParameterControl(operationId, parameter),
    hint: html`${renderText(description)}${exampleHint}`,
  })
}

const renderParameterControl = (operationId: string, parameter: ContractParameter): Html => {
  const { name, in: location, required = false, schema } = parameter
  const id = `${operationId}-${name}`
  // Path by which the validator names the value in its errors, such as `/query/limit`.
  const instancePath = `/${location === 'header' ? 'headers' : location}/${name}`
  const attributes = html`id="${id}" name="${name}" data-instance-path="${instancePath}"
                aria-describedby="${id}-problem ${id}-hint"${required ? html` required` : undefined}`

  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  if (values !== undefined) {
    const options = values.map((value) => html`<option>${value}</option>`)
    return html`<select ${attributes}><option value="">any</option>${options}</select>`
  }

  const inputMode = schema.type === 'integer' ? html` inputmode="numeric"` : undefined
  return html`<input ${attributes}${inputMode} autocomplete="off" spellcheck="false">`
}

const renderBodyField = (operationId: string, { schema, examples, description }: RequestBody): Html => {
  const id = `${operationId}-body-text`
  const [example] = Object.values(examples ?? {})
  const text = JSON.stringify(example?.value ?? {}, null, 2)
  return renderField({
    id,
    label: html`Request body, required`,
    control: html`<textarea id="${id}" name="body" data-instance-path="/body" rows="6" spellcheck="false"
                autocomplete="off" required aria-describedby="${id}-problem ${id}-hint">
${text}</textarea>`,
    hint: renderText(description ?? schema.description ?? ''),
  })
}

const renderResponse = (operationId: string, status: string, response: ContractResponse): Html => {
  const { description, headers = {}, content } = response
  const { schema, examples } = content?.['application/json'] ?? {}
  const isSuccess = status.startsWith('2')
  const ownHeaders = Object.entries(headers)
    .filter(([name]) => !commonHeaderPattern.test(name))
    .map(([name, header]) => ({ name, description: header.description ?? '' }))
  return html`
        <details data-status="${status}"><summary><b>${status}</b> ${renderText(description)}</summary>
          ${ownHeaders.length === 0 ? undefined : renderDefinitions(ownHeaders)}
          ${isSuccess && schema !== undefined ? renderFields(`${operationId}-${status}`, schema) : undefined}
          ${renderExamples(examples)}
        </details>`
}

const renderExamples = (examples: ContractContent['examples'] = {}): Html => {
  const rendered = Object.values(examples).map(({ summary, value }) => {
    const title = summary === undefined ? undefined : html`<p>${summary}:</p>`
    return html`${title}${renderCode(JSON.stringify(value, null, 2))}`
  })
  return html`${rendered}`
}

/** Renders a table of the fields of an object, or of the items of a list. */
const renderFields = (id: string, schema: JsonSchema): Html => {
  const { properties = {}, required = [] } = schema.items ?? schema
  const rows = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? undefined : 'optional: '
    return html`<tr><th scope="row"><code>${name}</code></th>
            <td>${optional}${describeConstraint(property) ?? property.type}</td>
            <td>${renderText(property.description ?? '')}</td></tr>`
  })
  return html`<p>${renderText(schema.description ?? '')}</p>
          ${renderTable(`${id}-fields`, ['Field', 'Value', 'Meaning'], rows)}`
}
