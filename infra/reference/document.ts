import type { Contract } from '../contract/contract.ts'
import type { ClientPackage } from './client-packages.ts'
import { buildGuide } from './guide.ts'
import { capitalize, collapseSpace, type Html, html } from './html.ts'
import type { Chapter } from './markdown.ts'
import { findCommonResponses, renderOperation } from './operation-section.ts'
import type { SiteOptions } from './site-options.ts'

/**
 * Renders the HTML document of the site. Unknown paths get this document too, so its links start at the root.
 *
 * @param packages packages of the clients, which the document offers to download
 */
export const renderDocument = (
  contract: Contract,
  options: SiteOptions,
  packages: readonly ClientPackage[],
): string => {
  const { title, summary = '', version } = contract.document.info
  const chapters = buildGuide(contract, options, packages)
  // The guide describes these, so the sections of the operations leave them out.
  const commonResponses = findCommonResponses(contract)
  // Only the local environment has demo keys.
  const [demoKey] = options.demoKeys ?? []
  const keyValue = demoKey === undefined ? undefined : html` value="${demoKey.apiKey}"`
  const firstKey = demoKey === undefined ? '' : `At first it is the demo key of the plan ${capitalize(demoKey.plan)}. `
  const keyHint = `${firstKey}The key stays in the memory of this page until you reload or leave.`
  const document = html`<!doctype html>
<html lang="en-GB">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="description" content="${summary}">
  <meta name="color-scheme" content="light dark">
  <title>${title} reference</title>
  <link rel="icon" type="image/svg+xml" href="/favicon.svg">
  <link rel="stylesheet" href="/page.css">
  <script defer src="/page.js"></script>
</head>
<body>
  <a class="skip" href="#operations">Skip to the operations</a>
  <header class="top">
    <a class="brand" href="#top"><img src="/favicon.svg" alt="" width="32" height="32"> ${title}</a>
    ${renderEnvironment(options)}
  </header>
  <div class="columns">
    ${renderNavigation(contract, chapters)}
    <main>
      <div id="top">
        <h1>${title}</h1>
        <p class="summary">${summary}</p>
        <dl class="facts">
          <div><dt>Base URL</dt><dd><code>${options.baseUrl}</code></dd></div>
          <div><dt>Version</dt><dd>${version}</dd></div>
          <div><dt>Contract</dt><dd><a href="/openapi.json">openapi.json</a></dd></div>
          <div><dt>Clients</dt><dd><a href="#use-a-client">TypeScript and Python</a></dd></div>
        </dl>
      </div>
      ${chapters.map(renderChapter)}
      <section id="operations" aria-labelledby="operations-title" tabindex="-1">
        <h2 id="operations-title"><a href="#operations">Operations</a></h2>
        <div class="field key">
          <label for="api-key">Your API key, for all panels below</label>
          <input id="api-key" type="password" autocomplete="off" spellcheck="false"
            aria-describedby="api-key-hint"${keyValue} disabled>
          <p class="hint" id="api-key-hint">${keyHint}</p>
        </div>
        <noscript>
          <p class="mark">The panels need JavaScript. Everything else on this page works without it.</p>
        </noscript>
      </section>
      ${contract.operations.map((operation) => renderOperation(operation, options, commonResponses))}
    </main>
  </div>
  <p class="unseen" id="announcement" role="status"></p>
</body>
</html>
`
  return collapseSpace(document)
}

/** Renders the environment's name, except in production. */
const renderEnvironment = ({ environment }: SiteOptions): Html | undefined => {
  if (environment === 'production') return undefined
  return html`<span class="environment">${capitalize(environment)} environment</span>`
}

const renderNavigation = ({ operations }: Contract, chapters: readonly Chapter[]): Html => {
  const chapterLinks = chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)
  const operationLinks = operations.map(
    ({ operationId, method, path }) =>
      html`<li class="within"><a href="#${operationId}"><b>${method}</b> ${path}</a></li>`,
  )
  return html`<nav aria-label="On this page">
      <ul class="contents">
        ${chapterLinks}
        <li><a href="#operations">Operations</a></li>
        ${operationLinks}
      </ul>
    </nav>`
}

const renderChapter = ({ id, title, content }: Chapter): Html => html`
      <section id="${id}" aria-labelledby="${id}-title">
        <h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
        ${content}
      </section>`
