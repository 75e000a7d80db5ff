import { stringifyExactJson } from '../../shared/exact-json.ts'
import { readContract } from '../contract/contract.ts'
import { bundled, clients, explorer, icon, licences, type SiteFile } from './assets.ts'
import { contractFor } from './contract-document.ts'
import { documentText, type LoadedFiles } from './document.ts'
import type { SiteOptions } from './site-options.ts'

/** The document at `/`. */
export const indexPath = 'index.html'

/**
 * All files of the API reference. Only `revalidated` files may contain the base URL; the others are the same in every
 * environment.
 *
 * @throws Error when the contract lacks a text of the page, or the page cannot be bundled
 */
export const buildSite = (options: SiteOptions): readonly SiteFile[] => {
  const published = contractFor(options)
  const loaded: LoadedFiles = {
    themeScript: bundled('theme.ts'),
    style: bundled('styles/page.css'),
    explorerScript: explorer(),
    pageScript: bundled('page.ts'),
    icon: icon(),
  }
  const linked = { clients: clients(options), licences: licences() }
  const revalidated = (path: string, contentType: string, body: string): SiteFile => {
    return { path, contentType, caching: 'revalidated', body }
  }
  return [
    revalidated(indexPath, 'text/html; charset=utf-8', documentText(readContract(), options, { ...loaded, ...linked })),
    revalidated('openapi.json', 'application/json', stringifyExactJson(published.toJS())),
    revalidated('openapi.yaml', 'application/yaml', published.toString()),
    ...Object.values(loaded),
    ...linked.licences,
    ...linked.clients,
  ]
}
