import type { ContractOperation } from '../contract/contract.ts'
import { type ContractParameter, describeConstraint } from '../contract/openapi.ts'
import { type Html, html, renderText } from './html.ts'
import type { SiteOptions } from './site-options.ts'

type RequestBody = NonNullable<ContractOperation['body']>

/**
 * Renders the panel of an operation, disabled. The page's script enables the panels that have `data-operation`. Other
 * panels stay disabled, and say so. The section of the operation explains the fields.
 */
export const renderPanel = (operation: ContractOperation, { baseUrl }: SiteOptions): Html => {
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
              <div class="copyable" data-name="response body"><pre class="code" translate="no"><code data-part="body"></code></pre></div>
              <h4>Headers</h4>
              <div class="copyable" data-name="response headers"><pre class="code" translate="no"><code data-part="headers"></code></pre></div>
            </div>
            <h4>The same request by curl</h4>
            <p class="hint">If it names <code>PET_API_KEY</code>, set that variable to your API key.</p>
            <div class="copyable" data-name="curl command"><pre class="code" translate="no"><code data-part="curl"></code></pre></div>
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
  const { name, required = false, schema } = parameter
  return renderField({
    id: `${operationId}-${name}`,
    label: html`<code>${name}</code>, ${required ? 'required' : 'optional'}`,
    control: renderParameterControl(operationId, parameter),
    hint: describeConstraint(schema) ?? '',
  })
}

const renderParameterControl = (operationId: string, parameter: ContractParameter): Html => {
  const { name, in: location, required = false, schema } = parameter
  const id = `${operationId}-${name}`
  const attributes = html`id="${id}" name="${name}" data-in="${location}"
                aria-describedby="${id}-hint"${required ? html` required` : undefined}`

  if (schema.enum !== undefined) {
    const options = schema.enum.map((value) => html`<option>${value}</option>`)
    return html`<select ${attributes}><option value="">any</option>${options}</select>`
  }

  const inputMode = schema.type === 'integer' ? html` inputmode="numeric"` : undefined
  return html`<input ${attributes}${inputMode} autocomplete="off" spellcheck="false">`
}

const renderBodyField = (operationId: string, { schema, examples }: RequestBody): Html => {
  const id = `${operationId}-body-text`
  const [example] = Object.values(examples ?? {})
  const text = JSON.stringify(example?.value ?? {}, null, 2)
  return renderField({
    id,
    label: html`Request body, required`,
    control: html`<textarea id="${id}" name="body" rows="6" spellcheck="false"
                autocomplete="off" required aria-describedby="${id}-hint">
${text}</textarea>`,
    hint: renderText(schema.description ?? ''),
  })
}
