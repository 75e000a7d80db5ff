import { Aws, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import { PolicyStatement, type PolicyStatementProps, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'

export interface AlarmTopicProps {
  readonly email: string | undefined
  /** Whether the topic is encrypted. */
  readonly hasKey: boolean
}

/** Gets the notifications of alarms and of the budget. */
export class AlarmTopic extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, { email, hasKey }: AlarmTopicProps) {
    super(scope, id)
    const byAlarms = {
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com'), new ServicePrincipal('budgets.amazonaws.com')],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }
    this.topic = new Topic(this, 'Topic', { ...(hasKey && { masterKey: this.#newKey(byAlarms) }), enforceSSL: true })
    this.topic.addToResourcePolicy(
      new PolicyStatement({ ...byAlarms, actions: ['sns:Publish'], resources: [this.topic.topicArn] }),
    )
    if (email === undefined || email === 'none') return
    const subscription = this.topic.addSubscription(new EmailSubscription(email))
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm on a dead-letter queue would notify the same address, which did not get the message.',
    })
  }

  /**
   * A key of the environment, because CloudWatch may not use the AWS managed key of SNS ("Encryption at rest" in the
   * Amazon SNS Developer Guide).
   */
  #newKey(byAlarms: Pick<PolicyStatementProps, 'principals' | 'conditions'>): Key {
    const key = new Key(this, 'Key', {
      description: 'Pet Adoption Service: the messages of alarms and of the budget',
      enableKeyRotation: true,
      // SNS keeps no message after delivery, so nothing is lost with the key.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    })
    key.addToResourcePolicy(
      new PolicyStatement({ ...byAlarms, actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] }),
    )
    return key
  }
}
