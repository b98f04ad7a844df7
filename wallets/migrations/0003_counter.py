"""What the counter asks of the database, each in one call: who meets there, and the moment of a transfer along with it."""

from django.db import migrations

_POST = """
DROP FUNCTION ledger_post;

CREATE FUNCTION ledger_post(
    debits bigint[], credits bigint[], amounts bigint[], codes text[], refs text[], reversals bigint[],
    step bigint, moment timestamptz, author bigint
) RETURNS TABLE (
    id bigint, public_id uuid, {column} currency text,
    debit_balance_after_minor bigint, debit_sequence bigint, credit_balance_after_minor bigint, credit_sequence bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM wallets_account account
        WHERE account.id = ANY (debits || credits) AND account.balance_minor IS NOT NULL
        ORDER BY account.id FOR NO KEY UPDATE;
    moment := coalesce(moment, clock_timestamp());
    RETURN QUERY
        INSERT INTO wallets_transfer AS posted (at, step_id, index, debit_account_id, credit_account_id, amount_minor, code,
                                                reference, reversal_of_id, created_by_id)
        SELECT moment, step, p.ordinal - 1, p.debit, p.credit, p.amount, p.code, p.reference, p.reversal, author
        FROM unnest(debits, credits, amounts, codes, refs, reversals)
            WITH ORDINALITY AS p (debit, credit, amount, code, reference, reversal, ordinal)
        ORDER BY p.ordinal
        RETURNING posted.id, posted.public_id, {value} posted.currency::text,
            posted.debit_balance_after_minor, posted.debit_sequence, posted.credit_balance_after_minor, posted.credit_sequence;
END $$;

-- Whoever may call it is named by the application's grants.
REVOKE EXECUTE ON FUNCTION ledger_post FROM PUBLIC;
"""

_FIND = """
-- Who meets at a hall's counter. A function with one plan per connection, as making the plan takes longer than its work.
CREATE FUNCTION counter_find(asked_hall uuid, served_halls bigint[], asked_player uuid, asked_username text, asked_currency text)
RETURNS TABLE (
    hall_id bigint, hall_public_id uuid, hall_currency text,
    player_id bigint, player_public_id uuid, player_username text, player_is_active boolean,
    account_id bigint, account_public_id uuid, cage_id bigint
) LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
        SELECT hall.id, hall.public_id, hall.currency::text,
               player.id, player.public_id, player.username::text, player.is_active,
               account.id, account.public_id, cage.id
        FROM (SELECT) AS asked
        LEFT JOIN halls_hall hall
            ON hall.public_id = asked_hall AND (hall.opened_at IS NOT NULL OR hall.id = ANY (served_halls))
        -- Who has played keeps an account, and what is in it, also when the role is gone.
        LEFT JOIN users_user player
            ON (player.public_id = asked_player OR player.username = asked_username)
            AND (EXISTS (SELECT FROM users_rolegrant WHERE user_id = player.id AND role = 'player')
                 OR EXISTS (SELECT FROM wallets_account WHERE user_id = player.id))
        LEFT JOIN wallets_account account
            ON account.kind = 'player' AND account.user_id = player.id AND account.currency = asked_currency
        LEFT JOIN wallets_account cage
            ON cage.kind = 'cage' AND cage.hall_id = hall.id AND cage.currency = asked_currency;
END $$;

-- Whoever may call it is named by the application's grants.
REVOKE EXECUTE ON FUNCTION counter_find FROM PUBLIC;
"""


class Migration(migrations.Migration):
    dependencies = [("wallets", "0002_ledger")]

    operations = [
        migrations.RunSQL(
            sql=_POST.format(column="at timestamptz,", value="posted.at,"),
            reverse_sql=_POST.format(column="", value=""),
        ),
        migrations.RunSQL(sql=_FIND, reverse_sql="DROP FUNCTION counter_find"),
    ]
