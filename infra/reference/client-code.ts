import {
  adaptToPackage,
  type ClientLanguage,
  type ClientPackage,
  getPackagePath,
  readClientCode,
} from './client-packages.ts'
import { type Html, html, renderCode } from './html.ts'
import { markExampleKey, renderCodeChoice } from './operation-code.ts'
import type { SiteOptions } from './site-options.ts'

/** Placeholder for the URL of this site, which the page's script inserts. */
const siteUrlPlaceholder = '<URL of the API reference>'

/** Base URL in the code of an example. */
const localBaseUrl = 'http://127.0.0.1:3000/v1'

/** Pattern of the API key in the code of an example: the demo key of a plan, in quotation marks. */
const demoKeyPattern = /(["'])pet_test_\w+["']/

const installers: Readonly<Record<ClientLanguage, string>> = {
  TypeScript: 'npm install',
  Python: 'pip install',
}

/** Renders the command that installs each package. */
export const renderInstallations = (packages: readonly ClientPackage[]): Html =>
  html`${packages.map((clientPackage) => {
    const { language, name } = clientPackage
    const path = getPackagePath(clientPackage)
    const command = html`${installers[language]} <span class="site-url">${siteUrlPlaceholder}</span>/${path}`
    return html`<p>${language}: <a href="/${path}" download>${name}</a></p>
    ${renderCode(`command for ${language}`, command)}`
  })}`

/**
 * Renders an example in both languages, for callers who have installed the package.
 *
 * @param files names of the example's files, by language
 */
export const renderExamples = (
  subject: string,
  files: Readonly<Record<ClientLanguage, string>>,
  options: SiteOptions,
): Html =>
  renderCodeChoice(subject, {
    TypeScript: renderExample('TypeScript', files.TypeScript, options),
    Python: renderExample('Python', files.Python, options),
  })

/** Renders an example that calls the environment, with the demo key of the environment if there is one. */
const renderExample = (language: ClientLanguage, file: string, { baseUrl, demoKeys = [] }: SiteOptions): Html => {
  const example = adaptToPackage(readClientCode(language, file)).replace(localBaseUrl, baseUrl).trimEnd()
  const [demoKey] = demoKeys
  if (demoKey === undefined) return html`${readKeyFromEnvironment(language, example)}`

  // The pattern captures a quotation mark, which so stands between the two parts.
  const [beforeKey = '', quote = '', afterKey = ''] = example.split(demoKeyPattern)
  return html`${beforeKey}${quote}${markExampleKey(demoKey.apiKey)}${quote}${afterKey}`
}

/** Makes an example read the API key from the variable that all code of the page reads. */
const readKeyFromEnvironment = (language: ClientLanguage, example: string): string => {
  if (language === 'TypeScript') return example.replace(demoKeyPattern, 'process.env.PET_API_KEY')
  return example
    .replace(demoKeyPattern, 'os.environ["PET_API_KEY"]')
    .replace('from pet_adoption', 'import os\n\nfrom pet_adoption')
}
