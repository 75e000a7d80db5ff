import { readFileSync } from 'node:fs'
import { type Document, parseDocument } from 'yaml'
import { contractFile } from '../contract/contract.ts'
import type { SiteOptions } from './site-options.ts'

/** The contract as an environment publishes it, with its own base URL in `servers`. Integers keep all their digits. */
export const contractFor = ({ baseUrl, contactUrl }: SiteOptions): Document => {
  const document = parseDocument(readFileSync(contractFile, 'utf8'), { intAsBigInt: true, merge: true })
  document.setIn(['servers', 0, 'url'], baseUrl)
  if (contactUrl !== undefined) {
    document.setIn(['info', 'contact'], document.createNode({ name: 'API keys and questions', url: contactUrl }))
  }
  return document
}
