import type { CostCommand } from './cost-command.ts'
import { rollOverShare } from './database-usage.ts'
import { assumedBytes, type Estimate, type Item } from './estimate.ts'
import type { Inventory } from './inventory.ts'
import { sizes } from './item-sizes.ts'
import type { Price } from './prices.ts'
import { kinds } from './workload.ts'

/** What the command prints: an object for scripts, lines for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
}

export const reportCost = (command: CostCommand, inventory: Inventory, estimate: Estimate): Report => {
  const assumptions = listAssumptions(command, inventory)
  const { items, dollars, fixedDollars, dollarsPerMillion } = estimate
  const { environment, workload } = command
  const text = [
    `A month of ${count(workload.requests)} requests to ${environment}, by list prices of us-east-1, without any free tier`,
    '',
    ...servicesOf(items).flatMap(({ service, lines, sum }) => [
      ...lines.map((item, index) => itemLine(item, index === 0 ? service : '')),
      ...(lines.length > 1 ? [''.padEnd(82) + money(sum).padStart(10)] : []),
    ]),
    '',
    `Total ${money(dollars)}, of which ${money(fixedDollars)} without any request; ${money(dollarsPerMillion)} per million requests`,
    '',
    'Assumed:',
    ...assumptions.map((assumption) => `  - ${assumption}`),
    '',
    `Unverified prices, not read on a page of AWS: ${named(items.filter(({ price }) => price.asOf === 'unverified'))}.`,
    'Prices change: infra/operations/cost/prices.ts has the page on which AWS publishes each, and as of when it was read there.',
    'Compare them with those pages, and the result with your bill.',
  ]
  return {
    json: { environment, workload, items: items.map(describe), dollars, fixedDollars, dollarsPerMillion, assumptions },
    text: text.join('\n'),
  }
}

const listAssumptions = ({ tracing, workload }: CostCommand, inventory: Inventory): string[] => {
  const { mix, unfiltered, page, idempotent, unknownKeys, keys, pets, authorizerMilliseconds, operationMilliseconds } =
    workload
  const shares = kinds.filter((kind) => mix[kind] > 0).map((kind) => `${percent(mix[kind])} ${kind}`)
  return [
    `requests: ${shares.join(', ')}; ${percent(unfiltered)} of the lists without a status, pages of ${page}; ${percent(idempotent)} of the creations with an Idempotency-Key`,
    `an average run of the authorizer takes ${authorizerMilliseconds} ms and of an operation ${operationMilliseconds} ms, cold starts included: not measured on AWS; with ${inventory.functionMegabytes} MB`,
    `authorized requests come spread evenly from ${count(keys)} keys, the most expensive case: ${percent(rollOverShare(workload))} of them open a new minute, which costs a second write`,
    ...(mix.unauthorized > 0
      ? [`${percent(unknownKeys)} of the unauthorized requests with a well-formed key that does not exist`]
      : []),
    ...(tracing ? ['every request traced, as any caller can demand with X-Amzn-Trace-Id'] : []),
    `${count(pets)} pets before the month; item sizes computed from the service's own items: a pet ${Math.round(sizes.pet)} bytes, an API key ${sizes.apiKey}, a reservation ${sizes.reservation}`,
    `bytes, not measured: ${assumedBytes.accessLogLine} a line of the access log, ${assumedBytes.functionLog} of log an invocation, ${assumedBytes.responseHeaders} of headers a response`,
    `logs as old as they are kept, ${inventory.logDays} days; a request that is refused charged by API Gateway like any other, the most expensive case`,
    'not in it: the API reference (S3 and CloudFront, by its readers), log queries, notifications, KMS requests, support, tax; a budget without actions is free',
  ]
}

const describe = ({ price, units, dollars }: Item) => {
  const { service, what, unit, per, tiers, asOf, source } = price
  return { service, what, units, unit, per, tiers, dollars, asOf, source }
}

const servicesOf = (items: readonly Item[]) =>
  [...Map.groupBy(items, ({ price }) => price.service)].map(([service, lines]) => ({
    service,
    lines,
    sum: lines.reduce((all, { dollars }) => all + dollars, 0),
  }))

const itemLine = ({ price, units, dollars }: Item, service: string): string =>
  [
    service.padEnd(14),
    price.what.padEnd(30),
    count(units).padStart(14),
    ` x ${unitPrice(price)}`.padEnd(24),
    money(dollars).padStart(10),
  ].join('')

/** The first tier's, and that there are more. */
const unitPrice = ({ tiers, per }: Price): string => {
  const [first] = tiers
  return `$${first?.dollars}${per === 1 ? '' : ` / ${count(per)}`}`
}

const named = (items: readonly Item[]): string =>
  items.map(({ price }) => `${price.service} ${price.what}`).join('; ') || 'none'

const count = (value: number): string =>
  value.toLocaleString('en-US', value < 100 ? { maximumFractionDigits: 2 } : { maximumFractionDigits: 0 })

const money = (dollars: number): string =>
  `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

const percent = (share: number): string => `${(share * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })} %`
