import type { Contract } from '../contract/contract.ts'
import type { SiteFile } from './assets.ts'
import { guide, guideLinks } from './guide/guide.ts'
import { capitalized } from './guide/parts.ts'
import { type Html, html, prose } from './html.ts'
import type { SiteOptions } from './site-options.ts'

/** The files that the document loads, by their use. */
export type LoadedFiles = Readonly<Record<'themeScript' | 'style' | 'explorerScript' | 'pageScript' | 'icon', SiteFile>>

/** The files that the document links. */
interface LinkedFiles {
  readonly clients: readonly SiteFile[]
  readonly licences: readonly SiteFile[]
}

/** The document at the root of the site. It is also the response to unknown paths, so its links begin at the root. */
export const documentText = (contract: Contract, options: SiteOptions, files: LoadedFiles & LinkedFiles): string => {
  const { title, summary, version } = contract.document.info
  const name = String(title)
  return html`<!doctype html>
<html lang="en-GB">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${String(summary)}">
  <meta name="color-scheme" content="light dark">
  <title>${name} reference</title>
  <link rel="icon" type="image/svg+xml" href="/${files.icon.path}">
  <script src="/${files.themeScript.path}"></script>
  <link rel="stylesheet" href="/${files.style.path}">
  <link rel="preload" as="fetch" href="/openapi.json" crossorigin>
  <script defer src="/${files.explorerScript.path}"></script>
  <script defer src="/${files.pageScript.path}"></script>
</head>
<body>
  <a class="skip" href="#all-operations-title">Skip to the operations</a>
  <header class="top">
    <a class="brand" href="#top"><img src="/${files.icon.path}" alt="" width="32" height="32"> ${name}</a>
    ${environmentNote(options)}
    <button type="button" id="theme" aria-pressed="false" aria-label="Dark theme"></button>
  </header>
  <div class="columns">
    <nav aria-label="On this page">
      <ul>${guideLinks()}<li><a href="#all-operations">Operations</a></li></ul>
    </nav>
    <div class="content">
      <div class="hero" id="top">
        <h1>${name}</h1>
        <p class="summary">${String(summary)}</p>
        <dl class="facts">
          <div><dt>Base URL</dt><dd><code>${options.baseUrl}</code></dd></div>
          <div><dt>Version</dt><dd>${String(version)}</dd></div>
          <div><dt>Contract</dt><dd><a href="/openapi.json">openapi.json</a>, <a href="/openapi.yaml">openapi.yaml</a></dd></div>
          ${clientLinks(files.clients)}
        </dl>
      </div>
      ${guide(contract, options)}
      <section id="all-operations" aria-labelledby="all-operations-title">
        <h2 id="all-operations-title" tabindex="-1">Operations</h2>
        <div id="explorer"><p>Loading the operations.</p>
          <noscript><p>The operations need JavaScript here. The contract, linked above, has them too.</p></noscript></div>
      </section>
    </div>
  </div>
  <footer>
    <p>The live panels use Swagger UI, under the Apache License 2.0:
      ${files.licences.map(({ path }) => html`<a href="/${path}">${fileName(path)}</a> `)}</p>
  </footer>
</body>
</html>
`.markup
}

const environmentNote = ({ environment }: SiteOptions): Html | undefined =>
  environment === 'production'
    ? undefined
    : html`<span class="environment">${capitalized(environment)} environment</span>`

const clientLinks = (clients: readonly SiteFile[]): Html =>
  html`<div><dt>Clients</dt>${[...Map.groupBy(clients, folderOf)].map(
    ([folder, files]) =>
      html`<dd>${folderNames[folder] ?? folder}: ${files.map(
        ({ path }, index) => html`${index === 0 ? '' : ', '}<a href="/${path}" download>${fileName(path)}</a>`,
      )}; run ${prose(commandOf(files))}</dd>`,
  )}</div>`

/** `clients/typescript/example.ts` is in the folder `typescript`. */
const folderOf = ({ path }: SiteFile): string => path.split('/')[1] ?? path

const folderNames: Readonly<Record<string, string>> = {
  browser: 'Proxy for web pages',
  typescript: 'TypeScript',
  python: 'Python',
}

/** How an example is run, and with what, as the example itself says. */
const commandOf = (files: readonly SiteFile[]): string =>
  files.map(({ body }) => /Run it: (.*? or later)\./.exec(body)?.[1] ?? '').join('')

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
