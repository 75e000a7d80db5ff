import type { Contract } from '../../contract/contract.ts'
import { type Html, html } from '../html.ts'
import type { SiteOptions } from '../site-options.ts'
import { firstRequest, gettingKey } from './access.ts'
import { errors, versions } from './changes.ts'
import { creatingOnce, limits, paging, retrying } from './requests.ts'
import { exactIntegers, schemas } from './schemas.ts'

interface Chapter {
  readonly id: string
  readonly title: string
  readonly content: (contract: Contract, options: SiteOptions) => Html
}

const chapters: readonly Chapter[] = [
  { id: 'get-a-key', title: 'Get a key', content: gettingKey },
  { id: 'first-request', title: 'Make a first request', content: firstRequest },
  { id: 'paging', title: 'Page through a list', content: paging },
  { id: 'limits', title: 'Keep to your limits', content: limits },
  { id: 'retrying', title: 'Retry', content: retrying },
  { id: 'creating-once', title: 'Create once', content: creatingOnce },
  { id: 'fields', title: 'Know the fields', content: schemas },
  { id: 'exact-integers', title: 'Keep integers exact', content: exactIntegers },
  { id: 'errors', title: 'Handle errors', content: errors },
  { id: 'versions', title: 'Follow versions', content: versions },
]

export const guideLinks = (): Html =>
  html`${chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}`

/** The guide for new callers. Its facts come from the contract and from the code of the service. */
export const guide = (contract: Contract, options: SiteOptions): Html =>
  html`${chapters.map(
    ({ id, title, content }) => html`
      <section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title">${title}</h2>
        ${content(contract, options)}
      </section>`,
  )}`
