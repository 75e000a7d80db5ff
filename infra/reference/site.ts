import { readContract } from '../contract/contract.ts'
import { bundled, clients, explorer, icon, licences, type SiteFile } from './assets.ts'
import { contractFor, jsonText, yamlText } from './contract-document.ts'
import { documentText } from './document.ts'
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
  const [themeScript, style, explorerScript, pageScript, pageIcon] = [
    bundled('theme.ts'),
    bundled('styles/page.css'),
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
    clients: offeredClients,
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
