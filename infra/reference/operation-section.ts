import type { Contract, ContractOperation } from '../contract/contract.ts'
import {
  type ContractContent,
  type ContractParameter,
  type ContractResponse,
  describeConstraint,
  type JsonSchema,
} from '../contract/openapi.ts'
import { readBodyExample, renderCodeChoice, writeOperationCode } from './code.ts'
import {
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
import type { SiteOptions } from './site-options.ts'

type RequestBody = NonNullable<ContractOperation['body']>

/** Pattern of the headers that every response has. The guide describes them once for all operations. */
const commonHeaderPattern = /^(X-RateLimit-|RateLimit|Access-Control-|x-amz)/

/**
 * Renders the section of an operation: description, parameters, panel, request body and responses.
 *
 * @param options settings of the code that sends a request
 * @param commonResponses responses of every operation, by status. The page describes them once, at `#common-responses`.
 */
export const renderOperation = (
  operation: ContractOperation,
  options: SiteOptions,
  commonResponses: Readonly<Record<string, ContractResponse>>,
): Html => {
  const { operationId, method, path, summary, deprecation, parameters, body, isReserved, responses } = operation
  const isCommon = (status: string): boolean =>
    JSON.stringify(responses[status]) === JSON.stringify(commonResponses[status])
  const statuses = Object.keys(responses)
  const ownResponses = Object.entries(responses).filter(([status]) => !isCommon(status))
  return html`
      <section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
        <h3 id="${operationId}-title"><a href="#${operationId}">
          <span class="method">${method}</span> <code>${path}</code> <span>${summary}</span></a>
        </h3>
        ${deprecation === undefined ? undefined : html`<p class="badge">Deprecated</p>`}
        ${renderDescription(operation)}
        ${parameters.length === 0 ? undefined : renderParameters(operationId, parameters)}
        ${body && renderBodyDocumentation(operation, body)}
        ${isReserved ? undefined : renderOperationCode(operation, options)}
        ${renderPanel(operation, options)}
        <h4>Responses</h4>
        ${ownResponses.map(([status, response]) => renderResponse(operationId, status, response))}
        <p>Also, like every operation: ${statuses.filter(isCommon).map(linkToCommonResponse)}.</p>
      </section>`
}

const renderOperationCode = (operation: ContractOperation, options: SiteOptions): Html => html`
        <h4>Code</h4>
        ${renderCodeChoice(operation.operationId, writeOperationCode(operation, options))}`

const linkToCommonResponse = (status: string, index: number): Html =>
  html`${index === 0 ? '' : ', '}<a href="#common-${status}">${status}</a>`

/** Renders a description. The description of a deprecated operation is marked. */
const renderDescription = ({ description, deprecation }: ContractOperation): Html =>
  deprecation === undefined
    ? renderParagraphs(description)
    : html`<div class="mark">${renderParagraphs(description)}</div>`

const renderParameters = (operationId: string, parameters: readonly ContractParameter[]): Html => {
  const rows = parameters.map(({ name, in: location, required = false, schema, description = '' }): Row => {
    const presence = required ? 'required' : 'optional'
    return {
      id: `${operationId}-parameter-${name}`,
      cells: [
        html`<code>${name}</code>`,
        `${location}, ${presence}: ${describeValue(schema)}`,
        renderText(description),
      ],
    }
  })
  return html`<h4>Parameters</h4>${renderTable(`${operationId}-parameters`, ['Name', 'Value', 'Meaning'], rows)}`
}

const renderBodyDocumentation = ({ operationId }: ContractOperation, body: RequestBody): Html => html`
        <h4>Request body</h4>
        ${renderParagraphs(body.description)}
        ${renderFields(`${operationId}-body`, body.schema)}`

/**
 * Renders the panel of an operation, disabled. The page's script enables the panels that have `data-operation`. Other
 * panels stay disabled, and say so.
 */
const renderPanel = (operation: ContractOperation, { baseUrl }: SiteOptions): Html => {
  const { operationId, method, path, parameters, body, hasPanel, isReserved } = operation
  const isEnabled = hasPanel && !isReserved
  const operationAttribute = isEnabled ? html` data-operation="${operationId}"` : undefined
  const reason = isReserved ? ', because the operation is reserved' : ''
  const notice = isEnabled ? undefined : html`<p class="mark">This panel is off${reason}.</p>`
  return html`
        <form class="panel" data-method="${method}" data-url="${baseUrl}${path}"${operationAttribute}>
          <fieldset data-part="fields" disabled>
            <legend>Try ${operationId}</legend>
            ${notice}
            ${parameters.map((parameter) => renderParameterField(operationId, parameter))}
            ${body && renderBodyField(operationId, body)}
            <button type="submit">Send</button>
          </fieldset>
          <output data-part="status"></output>
          <div class="result" data-part="result" hidden>
            <p data-part="report"></p>
            <div data-part="received">
              <h4>Body</h4>
              ${renderCode('response body', html`<span data-part="body"></span>`)}
              <h4>Headers</h4>
              ${renderCode('response headers', html`<span data-part="headers"></span>`)}
            </div>
            <h4>The same request by curl</h4>
            <p class="hint">If it names <code>PET_API_KEY</code>, set that variable to your API key.</p>
            ${renderCode('curl command', html`<span data-part="curl"></span>`)}
          </div>
        </form>`
}

interface Field {
  readonly id: string
  readonly label: Html
  readonly control: Html
  readonly hint: Html | string
}

const renderField = ({ id, label, control, hint }: Field): Html => html`
            <div class="field">
              <label for="${id}">${label}</label>
              ${control}
              <p class="hint" id="${id}-hint">${hint}</p>
            </div>`

const renderParameterField = (operationId: string, parameter: ContractParameter): Html => {
  const { name, in: location, required = false, schema } = parameter
  const id = `${operationId}-${name}`
  const attributes = html`id="${id}" name="${name}" data-in="${location}"
                aria-describedby="${id}-hint"${required ? html` required` : undefined}`
  const inputMode = schema.type === 'integer' ? html` inputmode="numeric"` : undefined
  const options = schema.enum?.map((value) => html`<option>${value}</option>`)
  return renderField({
    id,
    label: html`<code>${name}</code>, ${required ? 'required' : 'optional'}`,
    control:
      options === undefined
        ? html`<input ${attributes}${inputMode} autocomplete="off" spellcheck="false">`
        : html`<select ${attributes}><option value="">any</option>${options}</select>`,
    hint: describeConstraint(schema) ?? '',
  })
}

const renderBodyField = (operationId: string, body: RequestBody): Html => {
  const id = `${operationId}-body-text`
  return renderField({
    id,
    label: html`Request body, required`,
    control: html`<textarea id="${id}" name="body" rows="6" spellcheck="false"
                autocomplete="off" required aria-describedby="${id}-hint">
${JSON.stringify(readBodyExample(body), null, 2)}</textarea>`,
    hint: renderText(body.schema.description ?? ''),
  })
}

/** Renders the responses of every operation, each as a target of links. Their errors stand in the table of errors. */
export const renderCommonResponses = (responses: Readonly<Record<string, ContractResponse>>): Html => {
  const rendered = Object.entries(responses).map(([status, response]) => {
    const codes = Object.keys(response.content?.['application/json'].examples ?? {})
    const links = codes.map((code, index) => html`${index === 0 ? '' : ', '}<a href="#error-${code}">${code}</a>`)
    return renderFolded(`common-${status}`, status, response, html`<p>Errors: ${links}.</p>`)
  })
  return html`${rendered}`
}

const renderResponse = (operationId: string, status: string, response: ContractResponse): Html => {
  const { schema, examples } = response.content?.['application/json'] ?? {}
  const id = `${operationId}-${status}`
  const hasFields = status.startsWith('2') && schema !== undefined
  const content = html`${hasFields ? renderFields(id, schema) : undefined}${renderExamples(status, examples)}`
  return renderFolded(id, status, response, content)
}

/**
 * Renders a response, which is folded unless it is a success. The element with the id stands inside the folded part, so
 * that browsers unfold it when a link leads to the id. Headers that every response has are not shown.
 */
const renderFolded = (id: string, status: string, response: ContractResponse, content: Html): Html => {
  const { description, headers = {} } = response
  const [summary = '', ...paragraphs] = splitParagraphs(description)
  const ownHeaders = Object.entries(headers)
    .filter(([name]) => !commonHeaderPattern.test(name))
    .map(([name, header]) => ({ name, description: header.description ?? '' }))
  return html`
        <details data-status="${status}"${status.startsWith('2') ? html` open` : undefined}>
          <summary><b>${status}</b> ${renderText(summary)}</summary>
          <div id="${id}">
            ${paragraphs.map((paragraph) => html`<p>${renderText(paragraph)}</p>`)}
            ${ownHeaders.length === 0 ? undefined : renderDefinitions(ownHeaders)}
            ${content}
          </div>
        </details>`
}

const renderExamples = (status: string, examples: ContractContent['examples'] = {}): Html => {
  const rendered = Object.values(examples).map(({ summary, value }) => {
    const title = summary === undefined ? undefined : html`<p>${summary}:</p>`
    return html`${title}${renderCode(`example of ${status}`, JSON.stringify(value, null, 2))}`
  })
  return html`${rendered}`
}

/** Renders a table of the fields of an object, or of the items of a list. */
const renderFields = (id: string, schema: JsonSchema): Html => {
  const { properties = {}, required = [] } = schema.items ?? schema
  const rows = Object.entries(properties).map(([name, property]): Row => {
    const presence = required.includes(name) ? '' : 'optional: '
    return {
      id: `${id}-${name}`,
      cells: [
        html`<code>${name}</code>`,
        `${presence}${describeValue(property)}`,
        renderText(property.description ?? ''),
      ],
    }
  })
  return html`<p>${renderText(schema.description ?? '')}</p>
          ${renderTable(`${id}-fields`, ['Field', 'Value', 'Meaning'], rows)}`
}

/** Describes the values that a schema allows, and the default: `an integer from 1 to 100; default 20`. */
export const describeValue = (schema: JsonSchema): string => {
  const values = describeConstraint(schema) ?? schema.type ?? 'any value'
  return schema.default === undefined ? values : `${values}; default ${schema.default}`
}

/** Finds the responses to requests that name no operation, in so far as every operation can have them too. */
export const findCommonResponses = ({ operations, unroutedResponses }: Contract): Contract['unroutedResponses'] => {
  const isInEach = (status: string): boolean => operations.every(({ responses }) => responses[status] !== undefined)
  return Object.fromEntries(Object.entries(unroutedResponses).filter(([status]) => isInEach(status)))
}
