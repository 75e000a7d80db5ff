import { expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { crossOriginHeaders } from '../../../../../shared/http/response/response-headers.ts'

const { operations, unroutedResponses } = readContract()

/** Headers that a browser always shows to a web page of another origin ("CORS-safelisted response-header name"). */
const alwaysReadable = ['Content-Length', 'Content-Type']

/** Headers that only the browser itself reads. */
const isForBrowser = (name: string): boolean => name.startsWith('Access-Control-')

it('a web page of another origin may read exactly the response headers of the contract', () => {
  const responses = [
    ...operations.flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(unroutedResponses),
  ]
  const names = new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))
  const readable = [...names].filter((name) => !isForBrowser(name) && !alwaysReadable.includes(name))

  const exposed = crossOriginHeaders['Access-Control-Expose-Headers'].split(',')

  expect(exposed.toSorted()).toEqual(readable.toSorted())
})
