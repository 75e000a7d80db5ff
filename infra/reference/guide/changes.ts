import { catalogue } from '../../../shared/errors/catalogue.ts'
import type { Contract } from '../../contract/contract.ts'
import { stageName } from '../../contract/contract.ts'
import { type Html, html, prose } from '../html.ts'
import { descriptionOf } from './contract-text.ts'
import { definitions, longDate, table } from './parts.ts'

export const errors = (contract: Contract): Html => html`
  <p>${prose(descriptionOf(contract, 'components/schemas/Error'))} It has three fields: <code>code</code> for programs,
    <code>message</code> for people, and the HTTP <code>status</code>. Its message is often more precise than the one here.</p>
  ${table(
    'error-codes',
    ['Code', 'Status', 'Message'],
    Object.entries(catalogue).map(
      ([errorCode, { status, message }]) =>
        html`<tr><th scope="row"><code>${errorCode}</code></th><td>${status}</td><td>${message}</td></tr>`,
    ),
  )}`

export const versions = (contract: Contract): Html => html`
  <p>Every base URL ends in the version, <code>/${stageName}</code>. Long before an operation is removed, each of its
    responses has these headers:</p>
  ${definitions([
    ['Deprecation', descriptionOf(contract, 'components/headers/Deprecation')],
    ['Sunset', descriptionOf(contract, 'components/headers/Sunset')],
    ['Link', descriptionOf(contract, 'components/headers/Replacement')],
  ])}
  <ul id="deprecations">${contract.operations.flatMap(({ method, path, deprecation }) =>
    deprecation === undefined
      ? []
      : [
          html`<li><code>${method} ${path}</code> is removed on ${longDate(deprecation.sunset)}. ${deprecation.advice}</li>`,
        ],
  )}</ul>`
