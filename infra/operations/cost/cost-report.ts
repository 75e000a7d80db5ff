import type { Report } from '../../command-line/report.ts'
import type { CostCommand, Workload } from './cost-command.ts'
import { rollOverShare } from './database-usage.ts'
import { assumedBytes, type Estimate, estimate, type Item, usageOf } from './estimate.ts'
import type { Inventory } from './inventory.ts'
import { sizes } from './item-sizes.ts'
import { type Price, prices } from './prices.ts'
import { kinds } from './workload.ts'

/** The months of the table that `npm run cost` prints without `--requests`. */
const volumes = [1e5, 1e6, 1e7, 1e8] as const

/** A set-up and what it costs. */
interface Estimated extends Estimate {
  readonly name: string
}

/** @param inventories those of the command's set-ups, in their order */
export const reportCost = (command: CostCommand, inventories: readonly Inventory[]): Report => {
  const monthOf = (requests: number): readonly Estimated[] =>
    inventories.map((inventory, index) => ({
      name: command.setUps[index]?.name ?? '',
      ...estimate(usageOf({ ...command.workload, requests }, inventory), requests),
    }))
  const { requests } = command
  if (requests === undefined) {
    const months = volumes.map((volume) => ({ requests: volume, setUps: monthOf(volume) }))
    return {
      json: { months: months.map(({ setUps, ...month }) => ({ ...month, setUps: setUps.map(describe) })) },
      text: volumeTable(months),
    }
  }
  const workload = { ...command.workload, requests }
  const [asked, ...compared] = monthOf(requests)
  if (asked === undefined) throw new Error('A command has a set-up.')
  const assumptions = listAssumptions(workload, inventories)
  const sum = ({ dollars, fixedDollars, dollarsPerMillion }: Estimate) =>
    `Total ${money(dollars)}, of which ${money(fixedDollars)} without any request; ${money(dollarsPerMillion)} per million requests`
  const text = [
    `A month of ${count(requests)} requests to ${[asked, ...compared].map(({ name }) => name).join(' and ')}, by list prices of us-east-1, without any free tier`,
    '',
    ...(compared.length === 0 ? [...itemLines(asked), '', sum(asked)] : comparison([asked, ...compared])),
    '',
    'Assumed:',
    ...assumptions.map((assumption) => `  - ${assumption}`),
    '',
    `Unverified prices, not read on a page of AWS: ${named(asked.items.filter(({ price }) => price.asOf === 'unverified'))}.`,
    'Prices change: infra/operations/cost/prices.ts has the page on which AWS publishes each, and as of when it was read there.',
    'Compare them with those pages, and the result with your bill.',
  ]
  return {
    json: { ...describe(asked), workload, assumptions, compared: compared.map(describe) },
    text: text.join('\n'),
  }
}

/** The month, and in brackets the million, of each set-up. */
const volumeTable = (months: readonly { readonly requests: number; readonly setUps: readonly Estimated[] }[]): string =>
  [
    ...heading('requests a month', months[0]?.setUps ?? []),
    ...months.map(({ requests, setUps }) =>
      row(
        count(requests),
        setUps.map(({ dollars, dollarsPerMillion }) => `${money(dollars)} (${money(dollarsPerMillion)})`),
      ),
    ),
  ].join('\n')

/** The dollars of each line of the bill, side by side. */
const comparison = (estimates: readonly Estimated[]): readonly string[] => {
  const rowOf = (title: string, dollars: (one: Estimate) => number) =>
    row(
      title,
      estimates.map((one) => money(dollars(one))),
    )
  const dollarsOf = ({ items }: Estimate, price: Price) => items.find((item) => item.price === price)?.dollars ?? 0
  const used = Object.values(prices).filter((price) => estimates.some((one) => dollarsOf(one, price) > 0))
  return [
    ...heading('', estimates),
    ...used.map((price) => rowOf(`${price.service} ${price.what}`, (one) => dollarsOf(one, price))),
    rowOf('total', ({ dollars }) => dollars),
    rowOf('of which without any request', ({ fixedDollars }) => fixedDollars),
    rowOf('per million requests', ({ dollarsPerMillion }) => dollarsPerMillion),
  ]
}

/** Of a table in Markdown with a column for each set-up. */
const heading = (first: string, estimates: readonly Estimated[]): readonly string[] => [
  row(
    first,
    estimates.map(({ name }) => `\`${name}\``),
  ),
  row(
    '---',
    estimates.map(() => '---:'),
  ),
]

const row = (first: string, others: readonly string[]): string => `| ${[first, ...others].join(' | ')} |`

const listAssumptions = (workload: Workload, inventories: readonly Inventory[]): string[] => {
  const { mix, unfiltered, page, idempotent, unknownKeys, keys, pets, authorizerMilliseconds, operationMilliseconds } =
    workload
  const shares = kinds.filter((kind) => mix[kind] > 0).map((kind) => `${percent(mix[kind])} ${kind}`)
  const each = (of: (inventory: Inventory) => number) => [...new Set(inventories.map(of))].join(' and ')
  return [
    `requests: ${shares.join(', ')}; ${percent(unfiltered)} of the lists without a status, pages of ${page}; ${percent(idempotent)} of the creations with an Idempotency-Key`,
    `an average run of the authorizer takes ${authorizerMilliseconds} ms and of an operation ${operationMilliseconds} ms, cold starts included: not measured on AWS; with ${each(({ functionMegabytes }) => functionMegabytes)} MB`,
    `authorized requests come spread evenly from ${count(keys)} keys, the most expensive case: ${percent(rollOverShare(workload))} of them open a new minute, which costs a second write`,
    ...(mix.unauthorized > 0
      ? [`${percent(unknownKeys)} of the unauthorized requests with a well-formed key that does not exist`]
      : []),
    ...(inventories.some(({ isTraced }) => isTraced)
      ? ['with tracing every request traced, as any caller can demand with X-Amzn-Trace-Id']
      : []),
    `${count(pets)} pets before the month; item sizes computed from the service's own items: a pet ${Math.round(sizes.pet)} bytes, an API key ${sizes.apiKey}, a reservation ${sizes.reservation}`,
    `bytes, not measured: ${assumedBytes.accessLogLine} a line of the access log, ${assumedBytes.failedRunLog} of log a run that fails, such as that of the authorizer which refuses a key, ${assumedBytes.responseHeaders} of headers a response`,
    `logs as old as they are kept, ${each(({ logDays }) => logDays)} days; a request that is refused charged by API Gateway like any other, the most expensive case`,
    'not in it: the API reference (S3 and CloudFront, by its readers), log queries, notifications, support, tax',
  ]
}

const describe = ({ name, items, ...totals }: Estimated) => ({
  environment: name,
  items: items.map(({ price: { isFixed: _, ...price }, units, dollars }) => ({ ...price, units, dollars })),
  ...totals,
})

/** With the sum of each service. */
const itemLines = ({ items }: Estimate): readonly string[] =>
  servicesOf(items).flatMap(({ service, lines, sum }) => [
    ...lines.map((item, index) => itemLine(item, index === 0 ? service : '')),
    ...(lines.length > 1 ? [''.padEnd(82) + money(sum).padStart(10)] : []),
  ])

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
