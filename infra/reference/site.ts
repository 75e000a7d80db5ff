import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import { readContract } from '../contract/contract.ts'
import { bundled, clients, explorer, icon, licences } from './assets.ts'
import { contractFor, jsonText, yamlText } from './contract-document.ts'
import { documentText } from './document.ts'

/** What differs between the reference pages of the environments. */
export interface SiteOptions {
  /** Where the API answers, with the stage and without a slash at its end. It may be a CDK token, which is text too. */
  readonly baseUrl: string
  readonly environment: 'local' | 'staging' | 'production'
  /** Where people ask for an API key: a page or a `mailto:` address. */
  readonly contactUrl?: string
  /** Keys that anyone may see and use; the local environment has them. */
  readonly demoKeys?: readonly DemonstrationKey[]
}

export interface DemonstrationKey {
  readonly plan: Plan
  readonly allowance: Allowance
  readonly apiKey: string
}

export interface SiteFile {
  /** From the root of the site, without a slash at its beginning. */
  readonly path: string
  readonly contentType: string
  /** `immutable`: the name carries the content's hash. `revalidated`: clients ask each time whether it has changed. */
  readonly caching: 'immutable' | 'revalidated'
  readonly body: string | Buffer
}

/** The document at `/`. */
export const indexPath = 'index.html'

/**
 * All files of the API reference. Only those that are `revalidated` may hold the base URL, so that
 * the others are the same in every environment.
 *
 * @throws Error when the contract lacks what the page tells of it, or the page cannot be bundled
 */
export const buildSite = (options: SiteOptions): readonly SiteFile[] => {
  const published = contractFor(options)
  const [themeScript, style, explorerScript, pageScript, pageIcon] = [
    bundled('theme.ts'),
    bundled('page.css'),
    explorer(),
    bundled('page.ts'),
    icon(),
  ]
  const [offeredClients, explorerLicences] = [clients(options), licences()]
  const body = documentText(readContract(), options, {
    themeScript: themeScript.path,
    style: style.path,
    explorerScript: explorerScript.path,
    pageScript: pageScript.path,
    icon: pageIcon.path,
    clients: offeredClients.map(({ path }) => path),
    licences: explorerLicences.map(({ path }) => path),
  })
  return [
    { path: indexPath, contentType: 'text/html; charset=utf-8', caching: 'revalidated', body },
    { path: 'openapi.json', contentType: 'application/json', caching: 'revalidated', body: jsonText(published) },
    { path: 'openapi.yaml', contentType: 'application/yaml', caching: 'revalidated', body: yamlText(published) },
    themeScript,
    style,
    explorerScript,
    pageScript,
    pageIcon,
    ...explorerLicences,
    ...offeredClients,
  ]
}
