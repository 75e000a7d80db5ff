import { readFileSync } from 'node:fs'
import { type Document, parseDocument } from 'yaml'
import { stringifyExactJson } from '../../shared/exact-json.ts'
import { contractFile } from '../contract/contract.ts'

interface ContractPlace {
  readonly baseUrl: string
  readonly contactUrl?: string
}

/** The contract as an environment publishes it, with its own base URL in `servers`. Integers keep all their digits. */
export const contractFor = ({ baseUrl, contactUrl }: ContractPlace): Document => {
  const document = parseDocument(readFileSync(contractFile, 'utf8'), { intAsBigInt: true })
  document.setIn(['servers', 0, 'url'], baseUrl)
  if (contactUrl !== undefined) {
    document.setIn(['info', 'contact'], document.createNode({ name: 'API keys and questions', url: contactUrl }))
  }
  return document
}

export const jsonText = (contract: Document): string => stringifyExactJson(contract.toJS())

export const yamlText = (contract: Document): string => contract.toString()
